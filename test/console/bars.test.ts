import { describe, expect, it } from '@jest/globals';
import type { Bar } from '../../console/src/model/types.js';
import { lookOf } from '../../console/src/run/timeline/bar-look.js';
import { lanesOf, mergeBars } from '../../console/src/run/timeline/bars.js';
import { scaleOf } from '../../console/src/run/timeline/time-scale.js';

const bar = (startTime: number, endTime: number | null, more: Partial<Bar> = {}): Bar => ({
  kind: 'tool',
  label: 'http_probe',
  state: 'ok',
  startTime,
  endTime,
  startSeq: startTime,
  endSeq: endTime,
  ...more,
});
const scale = scaleOf(0, 512);
const at = (time: number) => ({ seq: time, end: time, textEnd: time, scale });

describe('a bar', () => {
  it('that has ended looks the same while time goes on, so that it is not drawn again', () => {
    const ended = bar(100, 200);
    expect(lookOf(ended, at(900))).toEqual(lookOf(ended, at(300)));
  });

  it('keeps its place while an axis grows', () => {
    const ended = bar(0, 200);
    const [before, after] = [2_000, 3_125].map((span) => scaleOf(0, span));
    expect(before?.width).toBeGreaterThan(after?.width ?? 0);
    if (before && after)
      expect(lookOf(ended, { ...at(900), scale: after })).toEqual(
        lookOf(ended, { ...at(900), scale: before }),
      );
  });

  it('that is open grows with time, and picks its beginning', () => {
    const open = bar(100, null, { state: 'open' });
    expect(lookOf(open, at(300))).toMatchObject({
      left: 19.53125,
      width: 39.0625,
      tookMs: 200,
      picks: 100,
      look: 'bar b-tool s-open',
    });
  });

  it('that is open is timed by the end that texts take', () => {
    const open = bar(100, null, { state: 'open' });
    expect(lookOf(open, { ...at(350), textEnd: 200 })).toMatchObject({ tookMs: 100 });
    expect(lookOf(open, { ...at(350), textEnd: 50 })).toMatchObject({ tookMs: 0 });
  });

  it('is open in a replay that stands before its end', () => {
    expect(lookOf(bar(100, 200), at(150))).toMatchObject({
      width: 9.765625,
      look: 'bar b-tool s-open',
      picks: 100,
    });
  });

  it('out of view is not drawn', () => {
    expect(lookOf(bar(2_000, 3_000), at(9_000))).toBeNull();
  });
});

it('shares the height of its row with calls at its side only', () => {
  const one = bar(0, 10);
  const other = bar(5, 15);
  const alone = bar(20, 30);
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

describe('a time scale', () => {
  it.each([20, 511, 512, 2_000, 15_000, 3_600_000])('of %d ms holds what is shown', (span) => {
    const { place, width } = scaleOf(1_000, span);
    expect(place(1_000)).toBe(0);
    expect(width).toBeGreaterThanOrEqual(100);
    expect(width).toBeLessThan(800);
    // The end of what is shown is the edge of the track.
    expect((place(1_000 + span) * width) / 100).toBeCloseTo(100);
  });
});
