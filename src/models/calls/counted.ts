/** Tokens of a call as its provider has counted them so far. */
export interface Counted {
  /** All of the prompt, what came from a cache and went to one included. */
  input?: number;
  output?: number;
  cacheRead?: number;
  cacheWrite?: number;
}

/**
 * What a piece of a provider's stream says of tokens, in whichever protocol: OpenAI's chat completions (`usage`), its responses
 * (`response.usage`), Anthropic's messages (`message.usage`, then `usage`). Empty where it says nothing.
 */
export function countedIn(raw: unknown): Counted {
  const piece = objectIn(raw);
  const usage = objectIn(
    piece['usage'] ?? objectIn(piece['message'])['usage'] ?? objectIn(piece['response'])['usage'],
  );
  const cacheWrite = numberIn(usage['cache_creation_input_tokens']);
  const apart = numberIn(usage['cache_read_input_tokens']);
  const within = objectIn(usage['prompt_tokens_details'] ?? usage['input_tokens_details']);
  const cacheRead = apart ?? numberIn(within['cached_tokens']);
  const input = numberIn(usage['input_tokens'] ?? usage['prompt_tokens']);
  const output = numberIn(usage['output_tokens'] ?? usage['completion_tokens']);
  return {
    // Anthropic counts what has to do with the cache apart.
    ...(input !== undefined && { input: input + (apart ?? 0) + (cacheWrite ?? 0) }),
    ...(output !== undefined && { output }),
    ...(cacheRead !== undefined && { cacheRead }),
    ...(cacheWrite !== undefined && { cacheWrite }),
  };
}

const objectIn = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

const numberIn = (value: unknown): number | undefined =>
  typeof value === 'number' && value >= 0 ? value : undefined;
