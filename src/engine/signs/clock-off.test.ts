import { expect, test } from '@jest/globals';
import { observed, steppedSeries } from '../../../test/support/incidents/observations.js';
import { rankFailingNodes } from '../first-failing.js';
import { findAnomalies } from '../find-anomalies.js';
import type { Series } from '../../domain/telemetry/records.js';

const nodes = [
  { id: 'shop', name: 'shop', dependsOn: ['box'] },
  { id: 'box', name: 'box', kind: 'host', dependsOn: [] },
];
const weightOf = (series: Series) => {
  const seen = observed({ nodes, series: [series] });
  const [first] = rankFailingNodes(seen, findAnomalies(seen));
  return first?.evidence[0]?.weight ?? 0;
};

test('a clock that is off by many seconds is a fact, and one that is off by a little is a sign', () => {
  expect(weightOf(steppedSeries('box', 'node_timex_offset_seconds', 0.01, 80))).toBe(2.5);
  expect(weightOf(steppedSeries('box', 'node_timex_offset_seconds', 0.001, 0.2))).toBeLessThan(1.3);
});
