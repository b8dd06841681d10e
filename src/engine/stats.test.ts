import { describe, expect, test } from '@jest/globals';
import {
  clamp,
  interquartileRange,
  mean,
  median,
  medianDeviation,
  quantile,
  showNumber,
} from './stats.js';

describe('robust statistics', () => {
  test('interpolate between the closest ranks', () => {
    expect(quantile([4, 1, 3, 2], 0.25)).toBe(1.75);
    expect(quantile([7], 0.9)).toBe(7);
    expect(quantile([], 0.5)).toBeNaN();
    expect(median([5, 1, 3])).toBe(3);
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(interquartileRange([1, 2, 3, 4, 5])).toBe(2);
  });

  test('are not moved by an outlier, as the mean is', () => {
    const values = [10, 11, 10, 9, 10, 1_000];
    expect(mean(values)).toBe(175);
    expect(median(values)).toBe(10);
    expect(medianDeviation(values, 10)).toBeCloseTo(0.74, 2);
  });

  test('leave their arguments as they are', () => {
    const values = [3, 1, 2];
    median(values);
    expect(values).toEqual([3, 1, 2]);
  });
});

test.each([
  [0.4213, '0.42'],
  [1_234.5, '1235'],
  [12.34, '12.3'],
  [0.00012, '0.0001'],
  [NaN, 'NaN'],
])('shows %d as %s', (value, text) => {
  expect(showNumber(value)).toBe(text);
});

test('clamps to 0 and 1 unless told otherwise', () => {
  expect([clamp(-1), clamp(0.5), clamp(2), clamp(7, 1, 5)]).toEqual([0, 0.5, 1, 5]);
});
