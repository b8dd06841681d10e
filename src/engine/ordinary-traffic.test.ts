import { expect, test } from '@jest/globals';
import { MINUTE, observed } from '../../test/support/incidents/observations.js';
import { rankRootCauses } from './rank-root-causes.js';
import type { Series } from '../domain/telemetry/records.js';

const first = (...args: Parameters<typeof observed>) =>
  rankRootCauses(observed(...args), '').causes[0];

/** Climbs for 40 min, with a small ripple. */
function climbing(id: string, name: string, [usual, now, from]: [number, number, number]): Series {
  const times = Array.from({ length: 120 }, (_, i) => i * MINUTE);
  const climbed = (at: number) => Math.min(1, Math.max(0, at / MINUTE - from) / 40);
  return {
    name,
    node: id,
    labels: {},
    times,
    values: times.map((at, i) => (usual + (now - usual) * climbed(at)) * (1 + (i % 3) * 0.01)),
  };
}
/** Two hours, of which the first is usual; the traffic of each morning climbs at 60 min. */
const MORNING = {
  frame: { start: 0, now: 119 * MINUTE, reportedAt: 115 * MINUTE },
  nodes: [
    { id: 'shop', name: 'shop', dependsOn: ['pay'] },
    { id: 'pay', name: 'pay', dependsOn: [] },
  ],
  alerts: [{ labels: { service: 'shop' }, annotations: { summary: 'shop fails' } }],
  series: [
    climbing('shop', 'http_server_requests_per_second', [10, 90, 58]),
    climbing('pay', 'container_memory_working_set_bytes', [3e8, 6e8, 62]),
    climbing('pay', 'container_oom_events_total', [0, 9, 75]),
  ],
};
const LOWERED = ' limits:\n-  memory: 2Gi\n+  memory: 768Mi';
const rightsized = { kind: 'config' as const, at: MINUTE, id: 'r1', node: 'pay', diff: LOWERED };

test('ordinary traffic does not rule out a limit that was lowered before it', () => {
  expect(first({ ...MORNING, changes: [rightsized] })).toMatchObject({
    node: 'pay',
    kind: 'out-of-memory',
    change: 'r1',
  });
});

test('memory that climbs with the traffic is no leak', () => {
  expect(first(MORNING)?.kind).not.toBe('memory-leak');
  const [, ...series] = MORNING.series;
  expect(first({ ...MORNING, series })).toMatchObject({ node: 'pay', kind: 'memory-leak' });
});
