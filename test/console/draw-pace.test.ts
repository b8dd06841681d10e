import { describe, expect, it } from '@jest/globals';
import { DrawPace } from '../../console/src/run/draw-pace.js';

const FRAME = 1_000 / 60;

/**
 * How often a page is drawn in so many seconds of frames, if a picture takes `tookMs` and `backlog`
 * events wait.
 */
function picturesIn(seconds: number, tookMs: number, backlog = 0): number {
  const pace = new DrawPace();
  let pictures = 0;
  for (let now = 0; now < seconds * 1_000; now += FRAME) {
    if (!pace.isDue(now, backlog)) continue;
    pictures++;
    pace.begins(now);
    pace.ended(now + tookMs, tookMs);
  }
  return pictures;
}

describe('DrawPace', () => {
  it('draws the first change at once', () => {
    expect(new DrawPace().isDue(0, 0)).toBe(true);
  });

  it('draws a live page in every third frame', () => {
    expect(picturesIn(9.99, 1)).toBe(200);
  });

  it('leaves a page that is costly to draw as long as its picture took', () => {
    // 100 ms and as long again: at most five in a second.
    expect(picturesIn(10, 100)).toBeLessThanOrEqual(50);
    expect(picturesIn(10, 100)).toBeGreaterThan(40);
  });

  it('waits for no longer than 200 ms after a picture', () => {
    const pace = new DrawPace();
    pace.begins(0);
    pace.ended(5_000, 5_000);
    expect(pace.isDue(5_199, 0)).toBe(false);
    expect(pace.isDue(5_200, 0)).toBe(true);
  });

  it('draws four times a second while many events wait', () => {
    expect(picturesIn(10, 1, 10_000)).toBeLessThanOrEqual(40);
  });
});
