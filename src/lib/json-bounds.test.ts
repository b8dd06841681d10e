import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { exceededBound } from './json-bounds.js';

const bound = (text: string, depth = 3, keys = 2) =>
  exceededBound(new TextEncoder().encode(text), { depth, keys });

describe('exceededBound', () => {
  it.each([
    ['{"a":{"b":[1]}}', undefined],
    ['{"a":{"b":[[1]]}}', 'depth'],
    ['[[[[', 'depth'],
    ['{"a":1,"b":2}', undefined],
    ['{"a":1,"b":2,"c":3}', 'keys'],
    ['[{"a":1,"b":2},{"a":1,"b":2}]', undefined],
    ['{"a":{"x":1,"y":2},"b":{"x":1,"y":2}}', undefined],
    ['{"a":"[[[[{{{{:::","b":"\\"[[[["}', undefined],
    ['{"a\\\\":[[[1]]]}', 'depth'],
    ['', undefined],
    ['"never ends', undefined],
  ])('finds in %s: %s', (text, expected) => expect(bound(text)).toBe(expected));

  it.each([
    ['[1,2,3]', 3, 9, undefined],
    ['[1,2,3,4]', 3, 9, 'entries'],
    ['[[1,2],{"a":"1,2,3,4"},3]', 3, 9, undefined],
    ['{"a":1,"b":2,"c":3,"d":4}', 3, 9, 'entries'],
    ['[[1,2],[3,4]]', 3, 7, undefined],
    ['[[1,2],[3,4]]', 3, 6, 'values'],
  ])('counts in %s: at most %i entries and %i values', (text, entries, values, expected) =>
    expect(exceededBound(new TextEncoder().encode(text), { depth: 3, entries, values })).toBe(
      expected,
    ),
  );

  it('finds the same as in the parsed value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const text = JSON.stringify(value);
        const [depth, keys] = measure(value);
        expect(bound(text, depth, keys)).toBeUndefined();
        if (depth > 0) expect(bound(text, depth - 1, keys)).toBe('depth');
        if (keys > 0) expect(bound(text, depth, keys - 1)).toBe('keys');
      }),
    );
  });

  it('accepts 1 MB of brackets and keys within its bounds', () => {
    const wide = `[${'{"a":1},'.repeat(120_000)}{}]`;
    expect(bound(wide)).toBeUndefined();
  });
});

/** Depth, and most keys of one object. */
function measure(value: unknown): [number, number] {
  if (typeof value !== 'object' || value === null) return [0, 0];
  const inner = Object.values(value).map(measure);
  return [
    1 + Math.max(0, ...inner.map(([depth]) => depth)),
    Math.max(
      Array.isArray(value) ? 0 : Object.keys(value).length,
      ...inner.map(([, keys]) => keys),
    ),
  ];
}
