import { expect, it } from '@jest/globals';
import { costOf } from '../calls/cost.js';
import { knownContextWindow } from './known-models.js';
import { providerWords } from '../calls/error-message.js';

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
  ['nobody-knows', 16_384],
])('the context window of %s is %i tokens', (id, tokens) =>
  expect(knownContextWindow(id)).toBe(tokens),
);

it('a call costs what its tokens cost, those of the cache at their own price', () => {
  const usage = {
    input: 1_000_000,
    output: 100_000,
    cacheRead: 400_000,
    cacheWrite: 100_000,
    estimated: false,
  };
  expect(costOf(usage, { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 })).toBe(
    1.5 + 0.12 + 0.375 + 1.5,
  );
  expect(costOf(usage, { input: 3, output: 15 })).toBe(4.5);
  expect(
    costOf(
      { ...usage, input: 7, output: 0, cacheRead: 0, cacheWrite: 0 },
      { input: 0.15, output: 1 },
    ),
  ).toBe(0.00000105);
});

it('what a provider says is shown without keys and ids, on one line, and cut', () => {
  const said =
    'Bad key sk-abcdef1234\nof org-AbCdEf123 (req_011CSomething9) at http://u:p4ss@h: Bearer eyJhbGciOi.x';
  expect(providerWords(said)).toBe('Bad key … of … (…) at http://u:***@h: …');
  expect([...providerWords('😀 '.repeat(300))]).toHaveLength(200);
});
