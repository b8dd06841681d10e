import type { Observations } from '../../../src/engine/observations.js';
import type { Series, Span } from '../../../src/domain/telemetry/records.js';

export const MINUTE = 60_000;

/**
 * shop → cart → db, of which nothing was recorded but what is given: ten minutes of normal time,
 * then an incident of ten.
 */
export const observed = (more: Partial<Observations> = {}): Observations => ({
  frame: {
    start: 0,
    now: 20 * MINUTE,
    reportedAt: 12 * MINUTE,
    baseline: { from: 0, to: 10 * MINUTE },
  },
  nodes: [
    { id: 'shop', name: 'Shop', dependsOn: ['cart'] },
    { id: 'cart', name: 'Cart', dependsOn: ['db'] },
    { id: 'db', name: 'DB', dependsOn: [] },
  ],
  alerts: [],
  series: [],
  templates: [],
  patterns: [],
  spans: [],
  notes: new Map(),
  changes: [],
  status: [],
  recordings: [],
  kubernetes: [],
  kubernetesByNode: new Map(),
  ...more,
});

/**
 * A series of a point each half minute: `usual` in normal time, `now` in the incident, both with a
 * small ripple.
 */
export function steppedSeries(node: string, name: string, usual: number, now: number): Series {
  const times = Array.from({ length: 40 }, (_, i) => i * (MINUTE / 2));
  return {
    name,
    node,
    labels: { service: node, metric: name },
    times,
    values: times.map((at, i) => (at > 10 * MINUTE ? now : usual) * (1 + (i % 3) * 0.01)),
  };
}

/** A span that failed. */
export const failedSpan = (node: string, parent: string | undefined, start: number): Span => ({
  traceId: 't',
  spanId: node,
  node,
  name: `GET ${node}`,
  start,
  durationMs: 5,
  error: 'failed',
  attributes: {},
  ...(parent !== undefined && { parentId: parent }),
});
