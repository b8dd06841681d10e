import type { LanguageModelV3CallOptions } from '@ai-sdk/provider';
import type { ModelEntry } from '../models.js';

type Options = NonNullable<LanguageModelV3CallOptions['providerOptions']>;

/** Token budget for thinking, for models that take one. */
const BUDGET_TOKENS = 2_048;
/** Anthropic models that think on request. */
const CLAUDE = /^claude-(?:3-7-|(?:opus|sonnet|haiku)-4)/;
/** OpenAI models that always think, and return a summary on request. */
const OPENAI = /^(?:o\d|gpt-5)/;

/**
 * Returns the provider options that make a model show its reasoning; undefined if it has none, or shows it by default.
 * Anthropic requires the thoughts of earlier tool calls in later requests. The service does not keep them, so that thinking is
 * requested only before the first call.
 */
export function thinkingOptions(
  { provider, modelId = '', model }: ModelEntry,
  prompt: LanguageModelV3CallOptions['prompt'],
): Options | undefined {
  if (provider === 'anthropic' && CLAUDE.test(modelId)) {
    const hasCalled = prompt.some(
      (message) =>
        message.role === 'assistant' && message.content.some((part) => part.type === 'tool-call'),
    );
    return hasCalled
      ? undefined
      : { anthropic: { thinking: { type: 'enabled', budgetTokens: BUDGET_TOKENS } } };
  }
  return model.provider.endsWith('.responses') && OPENAI.test(modelId)
    ? { openai: { reasoningSummary: 'auto' } }
    : undefined;
}
