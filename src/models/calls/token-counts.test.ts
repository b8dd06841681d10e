import { expect, it } from '@jest/globals';
import { countedIn } from './token-counts.js';

it.each([
  [
    { choices: [], usage: { prompt_tokens: 40, completion_tokens: 9 } },
    { input: 40, output: 9 },
  ],
  [
    {
      usage: {
        prompt_tokens: 40,
        completion_tokens: 9,
        prompt_tokens_details: { cached_tokens: 30 },
      },
    },
    { input: 40, output: 9, cacheRead: 30 },
  ],
  [
    {
      type: 'response.incomplete',
      response: {
        usage: { input_tokens: 40, output_tokens: 9, input_tokens_details: { cached_tokens: 0 } },
      },
    },
    { input: 40, output: 9, cacheRead: 0 },
  ],
  [
    {
      type: 'message_start',
      message: {
        usage: {
          input_tokens: 6,
          output_tokens: 1,
          cache_read_input_tokens: 4,
          cache_creation_input_tokens: 2,
        },
      },
    },
    { input: 12, output: 1, cacheRead: 4, cacheWrite: 2 },
  ],
  [{ type: 'message_delta', usage: { output_tokens: 9 } }, { output: 9 }],
  [{ choices: [{ delta: { content: 'usage' } }], usage: null }, {}],
  [{ type: 'response.created', response: { usage: null } }, {}],
  [{ usage: { prompt_tokens: '40', completion_tokens: -1 } }, {}],
  ['usage', {}],
  [null, {}],
])('reads from %j the counts %j', (piece, counted) => expect(countedIn(piece)).toEqual(counted));
