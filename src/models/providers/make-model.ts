import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV3 } from '@ai-sdk/provider';
import { withVersion } from './base-url.js';
import type { ModelSettings } from './model-settings.js';
import { countingFetch } from './counting-fetch.js';

const OPENAI = 'https://api.openai.com/v1';
const ANTHROPIC = 'https://api.anthropic.com/v1';
/** Passed to the packages if there is no key. Otherwise they would read a variable of their own. */
const NO_KEY = 'none';

/**
 * Creates the model that the settings describe. OpenAI itself is called with the responses protocol. Every other address with
 * OpenAI's protocol is called with chat completions, by the package that tolerates differences between servers.
 */
export function makeModel(
  { provider, model, baseUrl, api }: ModelSettings,
  key: string | undefined,
): LanguageModelV3 {
  const fetch = countingFetch;
  switch (provider) {
    case 'anthropic':
      return createAnthropic({
        baseURL: withVersion(baseUrl ?? ANTHROPIC, true),
        apiKey: key ?? NO_KEY,
        fetch,
      })(model);
    case 'openai': {
      if (baseUrl !== undefined && api !== 'responses' && !isOwn(baseUrl))
        return compatible(model, baseUrl, key);
      const openai = createOpenAI({
        baseURL: withVersion(baseUrl ?? OPENAI, false),
        apiKey: key ?? NO_KEY,
        fetch,
      });
      return api === 'chat' ? openai.chat(model) : openai.responses(model);
    }
    case 'openai-compatible':
      return compatible(model, baseUrl ?? OPENAI, key);
  }
}

const compatible = (model: string, baseUrl: string, key: string | undefined): LanguageModelV3 =>
  createOpenAICompatible({
    name: 'openai-compatible',
    baseURL: withVersion(baseUrl, false),
    ...(key !== undefined && { apiKey: key }),
    includeUsage: true,
    fetch: countingFetch,
  })(model);

/** Whether an address belongs to OpenAI or Anthropic, whose models make native tool calls. */
export function isOwn(baseUrl: string | undefined): boolean {
  return (
    baseUrl === undefined ||
    ['api.openai.com', 'api.anthropic.com'].includes(new URL(baseUrl).hostname)
  );
}
