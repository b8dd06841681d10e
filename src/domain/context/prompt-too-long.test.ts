import { describe, expect, it } from '@jest/globals';
import { tokensOf, unknownDensity } from './density.js';
import { learnFromRefusal, readTooLong } from './prompt-too-long.js';

describe('readTooLong', () => {
  it.each([
    ['prompt is too long: 208310 tokens > 200000 maximum', { most: 200_000, counted: 208_310 }],
    [
      'input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000, decrease input length',
      { most: 200_000 },
    ],
    [
      "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (8500 in the messages, 500 in the completion).",
      { most: 8_192, counted: 9_000 },
    ],
    [
      'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
      { most: 1_048_576, counted: 1_200_000 },
    ],
    [
      "This model's maximum prompt length is 131,072 but the request contains 200,000 tokens.",
      { most: 131_072, counted: 200_000 },
    ],
    [
      'request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it',
      { most: 8_192, counted: 9_000 },
    ],
    [
      'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
      { most: 32_768, counted: 40_000 },
    ],
    ['model-20240229: maximum context length is 4096 tokens', { most: 4_096 }],
    ['Please reduce the length of the messages or completion.', {}],
    ['Input is too long for requested model.', {}],
  ])('%s', (message, numbers) => {
    expect(readTooLong(message)).toEqual(numbers);
  });

  it('learns that the same prompt does not fit, with numbers or without', () => {
    for (const window of [8_000, 128_000])
      for (const bytes of [3_000, 20_000, 24_000, 380_000])
        for (const told of [
          {},
          { most: 4_000 },
          { most: 4_000, counted: 4_500 },
          { counted: window + 1 },
        ]) {
          const learned = learnFromRefusal(unknownDensity(), window, bytes, told);
          expect(tokensOf(learned.density, bytes)).toBeGreaterThan(learned.window);
          expect(learned.window).toBeLessThanOrEqual(window);
        }
  });
});
