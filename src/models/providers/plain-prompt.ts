import type { LanguageModelV3Prompt } from '@ai-sdk/provider';

/**
 * The same prompt with one system message: other providers cache by the beginning of the text, and
 * some take only one.
 */
export function plainPrompt(prompt: LanguageModelV3Prompt): LanguageModelV3Prompt {
  const system = prompt.flatMap((message) => (message.role === 'system' ? [message.content] : []));
  if (system.length < 2) return prompt;
  const rest = prompt.filter(({ role }) => role !== 'system');
  return [{ role: 'system', content: system.join('\n\n') }, ...rest];
}
