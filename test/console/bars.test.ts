import { describe, expect, it } from '@jest/globals';
import type { Bar } from '../../console/src/model/types.js';
import { lookOf } from '../../console/src/run/timeline/bar-look.js';
import { lanesOf, mergeBars } from '../../console/src/run/timeline/bars.js';

const bar = (startTime: number, endTime: number | null, more: Partial<Bar> = {}): Bar => ({
  ...{ kind: 'tool', label: 'http_probe', state: 'ok', startTime, endTime },
  ...{ startSeq: startTime, endSeq: endTime },
  ...more,
});
const place = (time: number): number => time / 10;

describe('a bar', () => {
  it('that has ended looks the same while time goes on, so that it is not drawn again', () => {
    const ended = bar(100, 200);
    expect(lookOf(ended, { seq: 900, end: 900, place })).toEqual(
      lookOf(ended, { seq: 300, end: 300, place }),
    );
  });

  it('that is open grows with time, and picks its beginning', () => {
    const open = bar(100, null, { state: 'open' });
    expect(lookOf(open, { seq: 300, end: 300, place })).toMatchObject({
      ...{ left: 10, width: 20, tookMs: 200, picks: 100, look: 'bar b-tool s-open' },
    });
  });

  it('is open in a replay that stands before its end', () => {
    expect(lookOf(bar(100, 200), { seq: 150, end: 150, place })).toMatchObject({
      ...{ width: 5, look: 'bar b-tool s-open', picks: 100 },
    });
  });

  it('out of view is not drawn', () => {
    expect(lookOf(bar(2_000, 3_000), { seq: 9_000, end: 9_000, place })).toBeNull();
  });
});

it('shares the height of its row with calls at its side only', () => {
  const [one, other, alone] = [bar(0, 10), bar(5, 15), bar(20, 30)];
  const lanes = lanesOf([one, other, alone]);
  expect(lanes.get(one)).toBe('lane-2 lane-at-0');
  expect(lanes.get(other)).toBe('lane-2 lane-at-1');
  expect(lanes.has(alone)).toBe(false);
});

it('becomes one with its neighbours below a pixel, and says so', () => {
  const many = Array.from({ length: 100 }, (_, i) => bar(i * 2, i * 2 + 1));
  const merged = mergeBars(many, 0, 1_000_000);
  expect(merged.length).toBeLessThan(many.length);
  expect(merged[0]?.note).toContain('several');
});
