import { createOpenAI } from '@ai-sdk/openai';
import { withVersion } from '../base-url.js';
import { chatFetch } from '../chat-fetch.js';
import { countingFetch } from '../counting-fetch.js';
import { openaiCompatible } from '../openai-compatible/openai-compatible.js';
import { isOwnAddress, NO_KEY, type Provider } from '../provider.js';

/** Models that always think, and return a summary on request. */
const THINKS = /^(?:o\d|gpt-5)/;

/**
 * OpenAI itself is called with the responses API, every other address with chat completions, unless
 * `api` says otherwise.
 */
export const openai: Provider = {
  name: 'openai',
  title: 'by openai',
  own: {
    baseUrl: 'https://api.openai.com/v1',
    keyVariable: 'OPENAI_API_KEY',
    addressVariable: 'OPENAI_BASE_URL',
  },
  apis: ['chat', 'responses'],
  create(settings, key) {
    const { model, baseUrl, api } = settings;
    if (api !== 'responses' && !isOwnAddress(openai, baseUrl))
      return openaiCompatible.create(settings, key);
    const provider = createOpenAI({
      baseURL: withVersion(baseUrl, false),
      apiKey: key ?? NO_KEY,
      fetch: api === 'chat' ? chatFetch : countingFetch,
    });
    return api === 'chat' ? provider.chat(model) : provider.responses(model);
  },
  adapt(call, { modelId, protocol, thinking }) {
    if (!protocol.endsWith('.responses')) return call;
    return {
      ...call,
      ...(thinking &&
        THINKS.test(modelId) && { providerOptions: { openai: { reasoningSummary: 'auto' } } }),
      // This API treats a schema as strict by default, and strict mode requires every argument.
      ...(call.tools && { tools: call.tools.map((tool) => ({ ...tool, strict: false })) }),
    };
  },
};
