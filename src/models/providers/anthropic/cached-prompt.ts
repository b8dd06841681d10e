import type { LanguageModelV3Prompt, SharedV3ProviderOptions } from '@ai-sdk/provider';

const CACHED: SharedV3ProviderOptions = { anthropic: { cacheControl: { type: 'ephemeral' } } };

/**
 * Marks where Anthropic caches a prompt: after each system message (tools and shared instructions,
 * then the agent's own) and after the last message. A later request that begins the same reads from
 * there. At most four places may be marked.
 */
export function cachedPrompt(prompt: LanguageModelV3Prompt): LanguageModelV3Prompt {
  const lastSystem = prompt.findLastIndex(({ role }) => role === 'system');
  return prompt.map((message, i) =>
    i <= Math.min(lastSystem, 2) || i === prompt.length - 1
      ? { ...message, providerOptions: CACHED }
      : message,
  );
}
