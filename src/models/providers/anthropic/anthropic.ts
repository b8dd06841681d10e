import { createAnthropic } from '@ai-sdk/anthropic';
import type { LanguageModelV3Prompt } from '@ai-sdk/provider';
import { withVersion } from '../base-url.js';
import { countingFetch } from '../counting-fetch.js';
import { NO_KEY, type Provider } from '../provider.js';
import { cachedPrompt } from './cached-prompt.js';

/** Tokens for thinking. */
const BUDGET_TOKENS = 2_048;
/** Models that think on request. */
const THINKS = /^claude-(?:3-7-|(?:opus|sonnet|haiku)-4)/;

const hasCalled = (prompt: LanguageModelV3Prompt): boolean =>
  prompt.some(
    (message) =>
      message.role === 'assistant' && message.content.some((part) => part.type === 'tool-call'),
  );

/**
 * Anthropic. Its thoughts of earlier tool calls would have to be sent with later requests; the
 * service does not keep them, so that thinking is requested only before the first call.
 */
export const anthropic: Provider = {
  name: 'anthropic',
  title: 'by anthropic',
  own: {
    baseUrl: 'https://api.anthropic.com/v1',
    keyVariable: 'ANTHROPIC_API_KEY',
    addressVariable: 'ANTHROPIC_BASE_URL',
  },
  takesSystemParts: true,
  create: ({ model, baseUrl }, key) =>
    createAnthropic({
      baseURL: withVersion(baseUrl, true),
      apiKey: key ?? NO_KEY,
      fetch: countingFetch,
    })(model),
  adapt(call, { modelId, thinking }) {
    const thinks = thinking && THINKS.test(modelId) && !hasCalled(call.prompt);
    return {
      ...call,
      prompt: cachedPrompt(call.prompt),
      ...(thinks && {
        providerOptions: {
          anthropic: { thinking: { type: 'enabled', budgetTokens: BUDGET_TOKENS } },
        },
      }),
    };
  },
};
