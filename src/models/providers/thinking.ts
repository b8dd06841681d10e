import type { LanguageModelV3CallOptions } from '@ai-sdk/provider';
import type { ModelEntry } from '../models.js';

type Options = NonNullable<LanguageModelV3CallOptions['providerOptions']>;

/** Tokens that a model may think, of those that take a number. */
const BUDGET_TOKENS = 2_048;
/** Models of Anthropic that think when they are told to. */
const CLAUDE = /^claude-(?:3-7-|(?:opus|sonnet|haiku)-4)/;
/** Models of OpenAI that always do, and show a summary where they are asked for one. */
const OPENAI = /^(?:o\d|gpt-5)/;

/**
 * What is asked of a provider so that its model's reasoning is seen; undefined where it has none to show, or shows it unasked.
 * Anthropic wants its thoughts back with the calls that came of them, and they are not kept: so only before the first call.
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
