/**
 * Context windows in tokens, by prefix of the model's id, without the provider's prefix and
 * case-insensitive; the longest prefix wins. If versions differ, the smallest window is listed: a
 * value too large breaks calls, a value too small costs a warning.
 */
const WINDOWS: Readonly<Record<string, number>> = {
  'chatgpt-4o': 128_000,
  claude: 200_000,
  'claude-2': 100_000,
  'claude-instant': 100_000,
  codestral: 32_768,
  'command-a': 256_000,
  'command-r': 128_000,
  'deepseek-chat': 64_000,
  'deepseek-r1': 64_000,
  'deepseek-reasoner': 64_000,
  'deepseek-v3': 64_000,
  'deepseek-v3.1': 128_000,
  gemini: 1_000_000,
  gemma: 8_192,
  gemma3: 131_072,
  'gemma-3': 131_072,
  'glm-4': 128_000,
  'gpt-3.5-turbo': 16_385,
  'gpt-4': 8_192,
  'gpt-4-32k': 32_768,
  'gpt-4-turbo': 128_000,
  'gpt-4.1': 1_047_576,
  'gpt-4o': 128_000,
  'gpt-5': 400_000,
  'gpt-oss': 131_072,
  grok: 131_072,
  'grok-4': 256_000,
  'kimi-k2': 131_072,
  llama3: 8_192,
  'llama-3': 8_192,
  'llama3.1': 131_072,
  'llama-3.1': 131_072,
  'llama3.2': 131_072,
  'llama-3.2': 131_072,
  'llama3.3': 131_072,
  'llama-3.3': 131_072,
  llama4: 1_000_000,
  'llama-4': 1_000_000,
  magistral: 40_000,
  ministral: 128_000,
  mistral: 32_768,
  'mistral-large': 128_000,
  'mistral-medium': 128_000,
  'mistral-nemo': 128_000,
  mixtral: 32_768,
  o1: 200_000,
  'o1-mini': 128_000,
  'o1-preview': 128_000,
  o3: 200_000,
  o4: 200_000,
  'phi-3': 4_096,
  phi3: 4_096,
  'phi-4': 16_384,
  phi4: 16_384,
  'qwen-2.5': 32_768,
  'qwen2.5': 32_768,
  qwen3: 32_768,
  'qwen3-coder': 262_144,
  qwq: 32_768,
  smollm2: 8_192,
};

/** The context window of an unknown model. */
const CAREFUL = 16_384;

/** Returns the context window of a model in tokens. */
export function knownContextWindow(modelId: string): number {
  const id = modelId
    .toLowerCase()
    .replace(/^.*\//, '')
    .replace(/^(?:meta-)/, '');
  let best = '';
  for (const start of Object.keys(WINDOWS))
    if (id.startsWith(start) && start.length > best.length) best = start;
  return WINDOWS[best] ?? CAREFUL;
}
