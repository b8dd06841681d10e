/** The tokens of a call that the provider has counted so far. */
export interface TokenCounts {
  /** All tokens of the prompt, including those read from or written to a cache. */
  input?: number;
  output?: number;
  cacheRead?: number;
  cacheWrite?: number;
}

/**
 * Reads the token counts in a chunk of a provider's stream: OpenAI's chat completions (`usage`),
 * its responses (`response.usage`), or Anthropic's messages (`message.usage`, then `usage`). Empty
 * if the chunk has none.
 */
export function countedIn(raw: unknown): TokenCounts {
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
    // Anthropic does not include cached tokens in the input tokens.
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
