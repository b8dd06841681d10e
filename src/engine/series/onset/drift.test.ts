import { describe, expect, test } from '@jest/globals';
import { findOnset } from './onset.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Points of each minute from six in the morning on, with a ripple of 4 %. */
function morning(hours: number, valueAt: (hour: number) => number) {
  const times = Array.from({ length: hours * 60 }, (_, i) => 6 * HOUR + i * MINUTE);
  const ripple = (i: number) => 1 + 0.02 * (((i * 7) % 11) / 5 - 1);
  return { times, values: times.map((at, i) => valueAt(at / HOUR) * ripple(i)) };
}
/** 60 at three in the morning, 140 at three in the afternoon. */
const daily = (hour: number): number => 100 - 40 * Math.cos(((hour - 3) / 12) * Math.PI);

describe('a series of some hours with a daily rhythm', () => {
  test.each([
    ['three hours', 3],
    ['nine hours', 9],
    ['seventeen hours', 17],
  ])('has no onset on an ordinary day: %s', (_, hours) =>
    expect(findOnset(morning(hours, daily))).toBeUndefined(),
  );

  test.each([
    ['rises', 1.5, 1],
    ['falls', 0.5, -1],
  ])('has one where it %s at once', (_, factor, direction) => {
    const given = morning(9, (hour) => daily(hour) * (hour >= 14 ? factor : 1));
    const onset = findOnset(given);
    expect(onset).toMatchObject({ at: 14 * HOUR, direction, ramp: false });
    expect(onset?.from).toBeCloseTo(daily(14), -1);
  });

  test.each([
    ['on a rhythm', (hour: number) => daily(hour) * (hour >= 8 ? 2 : 1)],
    ['of what was constant', (hour: number) => (hour >= 8 ? 0 : 1)],
  ])('has one for a single step in the first half: %s', (_, valueAt) =>
    expect(findOnset(morning(9, valueAt))?.at).toBe(8 * HOUR),
  );

  test('has one in the last minutes', () => {
    const given = morning(9, (hour) => daily(hour) * (hour >= 14.9 ? 2 : 1));
    expect(findOnset(given)?.at).toBe(14.9 * HOUR);
  });

  test('has none for a spell that ended', () => {
    const given = morning(9, (hour) => daily(hour) * (hour >= 11 && hour < 11.5 ? 3 : 1));
    expect(findOnset(given)).toBeUndefined();
  });

  test.each([
    ['falls and rises again', 1],
    ['rises and falls again', -1],
  ])('has none where it %s as fast, to a level of before', (_, sign) => {
    // The lowest point, or the highest, is in the middle of three hours; the second half is no
    // faster than the first.
    const given = morning(3, (hour) => 100 - sign * 25 * Math.sin(((hour - 6) / 3) * Math.PI));
    expect(findOnset(given)).toBeUndefined();
  });

  test('has one where it jumps to a level of before at once', () => {
    const given = morning(3, (hour) => (hour < 8 ? 100 - 25 * (hour - 6) : 90));
    expect(findOnset(given)).toMatchObject({ at: 8 * HOUR, direction: 1 });
  });

  test('has none for a step such as it made before', () => {
    const given = morning(9, (hour) => daily(hour) * (Math.floor(hour) % 2 === 0 ? 1.5 : 1));
    expect(findOnset(given)).toBeUndefined();
  });
});

test('what accumulates has the onset of its steady growth', () => {
  const times = Array.from({ length: 480 }, (_, i) => i * MINUTE);
  const given = { times, values: times.map((_, i) => 100 + Math.max(0, i - 200)) };
  expect(findOnset(given)).toBeUndefined();
  expect(findOnset(given, Infinity, { accumulates: true })).toMatchObject({ ramp: true });
});

test('an outage begins where it does, and not at a small step before it', () => {
  const times = Array.from({ length: 240 }, (_, i) => i * MINUTE);
  const valueAt = (i: number) => (i >= 200 ? 60 : i >= 170 ? 0.1 : 0);
  const given = { times, values: times.map((_, i) => valueAt(i)) };
  expect(findOnset(given)).toMatchObject({ at: 200 * MINUTE, direction: 1 });
});
