import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { withVersion } from '../base-url.js';
import { chatFetch } from '../chat-fetch.js';
import type { Provider } from '../provider.js';

/**
 * Any server with the chat completions API of OpenAI. The package tolerates differences between
 * servers.
 */
export const openaiCompatible: Provider = {
  name: 'openai-compatible',
  title: 'at a server with the API of OpenAI',
  create: ({ model, baseUrl }, key) =>
    createOpenAICompatible({
      name: 'openai-compatible',
      baseURL: withVersion(baseUrl, false),
      ...(key !== undefined && { apiKey: key }),
      includeUsage: true,
      fetch: chatFetch,
    })(model),
};
