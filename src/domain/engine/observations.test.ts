import { describe, expect, test } from '@jest/globals';
import { failedSpan, MINUTE, observed } from '../../../test/support/observations.js';
import type { Span } from './records.js';
import { findTrouble } from './observations.js';

/** A request each second for twenty minutes; those at the seconds given fail. */
function requests(failsAt: (second: number) => boolean): Span[] {
  return Array.from({ length: 1_200 }, (_, second) => {
    const { error, ...fine } = failedSpan('cart', undefined, second * 1_000);
    return failsAt(second) && error !== undefined ? { ...fine, error } : fine;
  });
}
const isTrouble = (spans: Span[]) => findTrouble(observed({ spans })).isTrouble;
const isLate = (second: number) => second * 1_000 > 10 * MINUTE;

describe('failed requests', () => {
  test('are trouble if more fail than in the quiet time', () => {
    expect(isTrouble(requests((second) => isLate(second) && second % 20 === 0))).toBe(true);
    expect(isTrouble(requests((second) => second % (isLate(second) ? 10 : 100) === 0))).toBe(true);
  });

  test('are none if as many fail at any time', () => {
    expect(isTrouble(requests((second) => second % 100 === 0))).toBe(false);
    expect(isTrouble(requests((second) => second === 1_100))).toBe(false);
  });

  test('are trouble if no request of the quiet time was recorded', () =>
    expect(isTrouble([failedSpan('cart', undefined, 12 * MINUTE)])).toBe(true));
});
