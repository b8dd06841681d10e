import { expect, it } from '@jest/globals';
import { seriesIn } from '../../console/src/run/evidence/series-data.js';

it('reads series with their baseline, onset and threshold', () => {
  const points = [
    [1_700_000_000, 1],
    [1_700_000_060, null],
    [1_700_000_120, 9],
  ];
  const series = [{ name: 'errors', points, baseline: 1, onset: 1_700_000_090, threshold: 5 }];
  expect(seriesIn({ measurements: { series } })).toEqual([
    {
      label: 'errors',
      times: [1_700_000_000, 1_700_000_060, 1_700_000_120],
      values: [1, null, 9],
      baseline: 1,
      onset: 1_700_000_090,
      threshold: 5,
    },
  ]);
});

it('takes times in ms, and leaves out what is no series', () => {
  const points = [
    [1_700_000_000_000, 1],
    [1_700_000_060_000, 2],
  ];
  expect(seriesIn({ series: [{ points }] })).toMatchObject([
    { label: 'Series 1', times: [1_700_000_000, 1_700_000_060] },
  ]);
  expect(seriesIn({ series: [{ name: 'one', points: [[1, 2]] }, 'x', null] })).toEqual([]);
  expect(seriesIn(null)).toEqual([]);
});

it('bounds their number and their length', () => {
  const points = Array.from({ length: 6_000 }, (_, i) => [i, i]);
  const read = seriesIn({ series: Array.from({ length: 9 }, () => ({ points })) });
  expect([read.length, read[0]?.times.length]).toEqual([4, 5_000]);
});

it('reads times as tools write them', () => {
  const points = [
    ['2026-09-12T11:25:00.000Z', 5],
    ['2026-09-12T11:26:00.000Z', 92],
    ['no time', 92],
  ];
  expect(seriesIn({ measurements: { series: [{ name: 'db', points }] } })).toMatchObject([
    { times: [1_789_212_300, 1_789_212_360], values: [5, 92] },
  ]);
});

it('reads what left its usual band, with when it did', () => {
  const course = { start: '2026-09-12T11:20:00.000Z', step_ms: 60_000, values: [5, null, 92] };
  const moved = [
    { name: 'db', per_second: true, from: 5, to: 92, since: '2026-09-12T11:22:00.000Z', course },
    { name: 'not drawn', from: 1, to: 2 },
  ];
  expect(seriesIn({ measurements: { moved } })).toEqual([
    {
      label: 'db a second',
      times: [1_789_212_030, 1_789_212_090, 1_789_212_150],
      values: [5, null, 92],
      baseline: 5,
      onset: 1_789_212_120,
    },
  ]);
});

it('reads the threshold of a series where the tool gives it', () => {
  const course = { start: '2026-09-12T11:20:00.000Z', step_ms: 60_000, values: [5, 92] };
  const moved = [
    { name: 'rose', from: 5, to: 92, usual_most: 9.5, course },
    { name: 'fell', from: 92, to: 5, usual_least: 80, course },
  ];
  const points = [
    [1_700_000_000, 1],
    [1_700_000_060, 2],
  ];
  const thresholds = [{ metric: 'errors', most: 3 }];
  expect(
    seriesIn({ thresholds, measurements: { moved, series: [{ name: 'errors', points }] } }).map(
      ({ label, threshold }) => [label, threshold],
    ),
  ).toEqual([
    ['rose', 9.5],
    ['fell', 80],
    ['errors', 3],
  ]);
});
