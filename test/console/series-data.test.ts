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
