import { expect, test } from '@jest/globals';
import { marksOf } from '../../console/src/run/timeline/marks.js';

/** Pixels that a label such as `250 ms` takes. */
const LABEL = 40;

test.each([
  [60, 320],
  [218, 320],
  [218, 96_000],
  [620, 4_160],
  [1_100, 15_000],
  [1_100, 61],
])('labels do not overlap on a track of %d pixels and %d ms', (width, span) => {
  const marks = marksOf({ zero: 1_000, start: 1_000, span, width });
  const places = marks
    .filter(({ isLabelled }) => isLabelled)
    .map(({ place }) => (place / 100) * width);
  expect(places[0]).toBe(0);
  for (const [i, place] of places.entries()) {
    expect(place + LABEL).toBeLessThanOrEqual(width);
    const next = places[i + 1];
    if (next !== undefined) expect(next - place).toBeGreaterThanOrEqual(LABEL);
  }
});

test('a part that is zoomed to is marked by the time of the run', () => {
  const marks = marksOf({ zero: 0, start: 950, span: 200, width: 900 });
  expect(marks[0]).toMatchObject({ label: '950 ms', place: 0 });
  expect(marks.map(({ label }) => label)).toContain('1 s');
});
