import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseTopology } from './parse-topology.js';
import { TOOLS, valid, type Loose } from '../../../test/support/incidents/loose-topology.js';

describe('properties', () => {
  const odd = fc.oneof(
    fc.jsonValue({ maxDepth: 4 }),
    fc.constantFrom(
      undefined,
      NaN,
      Infinity,
      { length: { toString: 1, valueOf: 1 } },
      '',
      ' ',
      '__proto__',
      'constructor',
      'api',
      'cache',
      '1',
      -0,
      1e400,
      '\ud800',
      {},
      [],
    ),
    fc.anything({ withBigInt: true, withDate: true, withMap: true, withSparseArray: true }),
  );
  const outcomeIsSound = (input: unknown) => {
    const outcome = parseTopology(input, TOOLS);
    if ('faults' in outcome) expect(outcome.faults.length).toBeGreaterThan(0);
    else
      expect(parseTopology(JSON.parse(JSON.stringify(outcome.topology)), TOOLS)).toHaveProperty(
        'topology',
      );
  };

  test('never throws for any value', () => {
    fc.assert(fc.property(odd, outcomeIsSound), { numRuns: 250 });
  });

  test('never throws for a topology changed anywhere, and accepts its own result', () => {
    const step = fc.record({
      pick: fc.array(fc.nat(20), { minLength: 1, maxLength: 6 }),
      how: fc.constantFrom('set', 'delete', 'add'),
      value: odd,
      key: fc.oneof(fc.constantFrom('__proto__', 'toString', 'length'), fc.string()),
    });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 3 }), (steps) => {
        const input: unknown = valid();
        for (const { pick, how, value, key } of steps) mutate(input, pick, { how, key, value });
        outcomeIsSound(input);
      }),
      { numRuns: 500 },
    );
  });

  /** Walks down by the picks and changes the value it reaches. */
  function mutate(
    holder: unknown,
    [pick = 0, ...rest]: number[],
    change: { how: string; key: string; value: unknown },
  ): void {
    const { how, key, value } = change;
    if (typeof holder !== 'object' || holder === null) return;
    const entries = holder as Loose;
    const keys = Object.keys(entries);
    const chosen = keys[pick % Math.max(keys.length, 1)];
    if (chosen !== undefined && rest.length > 0 && typeof entries[chosen] === 'object')
      mutate(entries[chosen], rest, change);
    else if (how === 'add' || chosen === undefined)
      Object.defineProperty(entries, Array.isArray(holder) ? keys.length : key, {
        value,
        enumerable: true,
        configurable: true,
        writable: true,
      });
    else if (how === 'delete') Reflect.deleteProperty(entries, chosen);
    else entries[chosen] = value;
  }
});
