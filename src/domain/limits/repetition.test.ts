import { describe, expect, it } from '@jest/globals';
import { detectLoop, repeatedAction, type RepeatableCall } from './repetition.js';

const probe = (node: string, more: RepeatableCall['args'] = {}): RepeatableCall => ({
  tool: 'http_probe',
  args: { node, ...more },
});
const dns: RepeatableCall = { tool: 'dns_lookup', args: { node: 'shop' } };

describe('a loop', () => {
  it('is three similar turns among the last six', () => {
    expect(detectLoop([[probe('a')], [probe('a')]])).toBeNull();
    expect(detectLoop([[probe('a')], [dns], [probe('a')], [dns], [dns, dns], [probe('a')]])).toBe(
      'http_probe({"node":"a"})',
    );
    expect(
      detectLoop([
        [probe('a')],
        [dns],
        [probe('a')],
        [dns],
        [dns, dns],
        [probe('b')],
        [probe('a')],
      ]),
    ).toBeNull();
  });

  it('compares the key arguments and ignores order and other arguments', () => {
    const turns = [
      [probe('a', { samples: 1 }), dns],
      [dns, probe('a', { samples: 2 })],
      [probe('a', { path: undefined as never }), dns],
    ];
    expect(detectLoop(turns)).toBe('dns_lookup({"node":"shop"})|http_probe({"node":"a"})');
    expect(detectLoop([[probe('a')], [probe('b')], [probe('c')]])).toBeNull();
  });

  it('ignores turns without calls', () => {
    expect(detectLoop([[], [], []])).toBeNull();
    expect(detectLoop([])).toBeNull();
  });
});

describe('no progress', () => {
  it('is the same call three times in a row, with arguments in any order', () => {
    const once: RepeatableCall = { tool: 'x', args: { a: 1, b: { c: 2, d: [3] } } };
    const again: RepeatableCall = { tool: 'x', args: { b: { d: [3], c: 2 }, a: 1 } };
    expect(repeatedAction([[once], [again], [once]])).toBe('x({"a":1,"b":{"c":2,"d":[3]}})');
    expect(repeatedAction([[dns], [once], [again]])).toBeNull();
    expect(repeatedAction([[once], [again]])).toBeNull();
  });

  it('is not the same call many times in the turn in which it is first made', () => {
    const many = Array.from({ length: 200 }, () => dns);
    expect(repeatedAction([many])).toBeNull();
    expect(repeatedAction([[probe('a')], many, []])).toBeNull();
    expect(repeatedAction([many, [dns]])).toBe('dns_lookup({"node":"shop"})');
    expect(repeatedAction([many, [probe('a')], many])).toBe('dns_lookup({"node":"shop"})');
  });

  it('is not a similar call or an interrupted series', () => {
    expect(repeatedAction([[probe('a')], [probe('a', { samples: 2 })], [probe('a')]])).toBeNull();
    expect(repeatedAction([[probe('a')], [dns], [probe('a')], [probe('a')]])).toBeNull();
  });
});
