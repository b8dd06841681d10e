import { expect, it } from '@jest/globals';
import { patternsIn, suspectsIn } from '../../console/src/run/evidence/telemetry-data.js';

it('reads the suspects of a ranking, and nothing of another result', () => {
  const causes = [
    { node: 'db', title: 'full', confidence: 0.8, for: ['the alert is about it'], against: [] },
    { node: 'web', title: 'no confidence' },
    'x',
  ];
  expect(suspectsIn({ causes })).toEqual([
    {
      node: 'db',
      title: 'full',
      confidence: 0.8,
      speaksFor: ['the alert is about it'],
      against: [],
    },
  ]);
  expect(suspectsIn({ status: 200 })).toEqual([]);
});

it('reads what the log of a node began to say, kinds without lines left out', () => {
  const line = { sample: 'out of memory', pattern: 'out of <*>', error: true, count: 3 };
  const measured = { pattern_count: 1, new: [line], gone: [], surging: [{ pattern: 'retry <*>' }] };
  expect(patternsIn(measured)).toEqual([
    {
      kind: 'New',
      lines: [{ text: 'out of memory', error: true, count: 3, first: '', last: '' }],
    },
    {
      kind: 'More often',
      lines: [{ text: 'retry <*>', error: false, count: undefined, first: '', last: '' }],
    },
  ]);
  expect(patternsIn({ new: [line] })).toEqual([]);
});
