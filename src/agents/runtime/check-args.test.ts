import { expect, it } from '@jest/globals';
import { z } from 'zod';
import { checkArgs } from './check-args.js';

const schema = z.object({
  node: z.string(),
  tries: z.int().min(1).max(10).exactOptional(),
  share: z.number().exactOptional(),
  deep: z.boolean().exactOptional(),
  list: z.array(z.object({ count: z.int() })).exactOptional(),
});

it('takes arguments that fit', () => {
  expect(checkArgs(schema, { node: 'a', tries: 3 })).toEqual({ args: { node: 'a', tries: 3 } });
});

it('takes numbers and booleans that are written as text', () => {
  const given = { node: '7', tries: '3', share: '0.5', deep: 'true', list: [{ count: '-2' }] };
  expect(checkArgs(schema, given)).toEqual({
    args: { node: '7', tries: 3, share: 0.5, deep: true, list: [{ count: -2 }] },
  });
  expect(given.tries).toBe('3');
});

it.each([
  ['a text that is no number', { node: 'a', tries: 'three' }, /^tries: must be a number$/],
  ['a number out of bounds', { node: 'a', tries: '30' }, /^tries: must be at most 10$/],
  ['a missing field', {}, /^node: is missing$/],
  ['no object', 7, /^arguments: must be an object$/],
])('names the field of %s', (_, args, fault) => {
  expect(checkArgs(schema, args)).toEqual({ fault: expect.stringMatching(fault) });
});
