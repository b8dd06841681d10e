import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { arrayToFirstFault } from './first-fault.js';

const list = z.object({ items: arrayToFirstFault(z.string().transform((text) => text.length)) });

test('a list has all its entries, as their schema gives them', () => {
  const items = Array.from({ length: 250 }, (_, i) => 'x'.repeat(i));
  expect(list.parse({ items })).toEqual({ items: items.map((_, i) => i) });
  expect(list.parse({ items: [] })).toEqual({ items: [] });
});

test('a list with faults has one, of the first entry that is not valid', () => {
  const items = Array.from({ length: 1_000 }, (_, i) => (i < 250 ? 'x' : 1));
  const issues = list.safeParse({ items }).error?.issues;
  expect(issues?.map(({ path }) => path)).toEqual([['items', 250]]);
  expect(list.safeParse({ items: 'x' }).success).toBe(false);
});
