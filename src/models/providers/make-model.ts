import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV3 } from '@ai-sdk/provider';
import { withVersion } from './base-url.js';
import type { ModelSettings } from './model-settings.js';
import { countingFetch } from './counting-fetch.js';

const OPENAI = 'https://api.openai.com/v1';
const ANTHROPIC = 'https://api.anthropic.com/v1';
/** What the packages send where there is no key: without one they would look for a variable themselves. */
const NO_KEY = 'none';

/**
 * The model that settings describe. OpenAI itself is spoken with in its responses protocol; whoever else has its address in
 * chat completions, which all of them know, by the package that takes what they make of it.
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

/** Whether an address is one of the providers' own: their models call tools as they should. */
export function isOwn(baseUrl: string | undefined): boolean {
  return (
    baseUrl === undefined ||
    ['api.openai.com', 'api.anthropic.com'].includes(new URL(baseUrl).hostname)
  );
}
