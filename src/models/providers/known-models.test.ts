import { expect, it } from '@jest/globals';
import { knownContextWindow } from './known-models.js';

it.each([
  ['deepseek/deepseek-chat', 64_000],
  ['deepseek/deepseek-r1', 64_000],
  ['anthropic/claude-3-opus', 200_000],
  ['anthropic/claude-sonnet-4', 200_000],
  ['gemini-2.0-flash-exp', 1_000_000],
  ['openai/gpt-4-turbo', 128_000],
  ['openai/o1', 200_000],
  ['meta-llama/llama-3.3-70b', 131_072],
  ['meta-llama/Meta-Llama-3-8B-Instruct', 8_192],
  ['gpt-4', 8_192],
  ['gpt-4o-mini', 128_000],
  ['gpt-4.1-mini-2025-04-14', 1_047_576],
  ['qwen3:8b', 32_768],
  ['unknown-model', 16_384],
])('knows the context window of %s: %i tokens', (id, tokens) =>
  expect(knownContextWindow(id)).toBe(tokens),
);
