import { expect, test } from '@jest/globals';
import { alert, sceneOf, step } from '../../../test/support/scenes/scene.js';
import type { Change } from '../../domain/telemetry/records.js';
import { rankRootCauses } from '../rank-root-causes.js';

const MINUTE = 60_000;
const ONSET = Date.parse('2026-03-02T10:40:00Z');
const flag: Change = {
  kind: 'flag',
  at: ONSET - MINUTE / 2,
  node: 'ranker',
  flag: 'rerank',
  from: 'off',
  to: 'on',
};

test('a node that got better before is not the first that became unhealthy', () => {
  const latency = (node: string, values: [number, number]) =>
    step(node, 'http_request_duration_seconds_p99', values);
  const { series } = latency('retriever', [0.2, 0.05]);
  const times = series?.times.map((time) => time - 15 * MINUTE) ?? [];
  const better = series && [{ series: { ...series, times } }];
  const seen = sceneOf(
    'web > ranker; web > retriever',
    alert('ranker', 'HighLatency', 'p99 of ranker above 1 s'),
    better ?? [],
    latency('ranker', [0.1, 1.3]),
    [{ change: flag }],
  );
  const { changes } = rankRootCauses(seen, '');
  expect(changes[0]?.for.join()).toContain('as the first node');
  expect(changes[0]?.against).toEqual([]);
});
