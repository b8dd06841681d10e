import { expect, test } from '@jest/globals';
import type { Span } from '../../domain/telemetry/records.js';
import { callsMoreOften } from './fan-out.js';
import { buildTraces } from './trace-tree.js';

const frame = { start: 0, now: 200, reportedAt: 100, baseline: { from: 0, to: 99 } };
/** Forty requests of the cart in each phase, of which so many call the database. */
const requests = (usual: number, now: number) => {
  const span = (traceId: string, spanId: string, start: number, more: Partial<Span>): Span => ({
    traceId,
    spanId,
    name: spanId,
    start,
    durationMs: 1,
    attributes: {},
    ...more,
  });
  const spans = [0, 1].flatMap((phase) =>
    Array.from({ length: 40 }, (_, i) => {
      const at = phase * 100_000 + i;
      const id = `${phase}/${i}`;
      const calls = i < (phase === 0 ? usual : now);
      return [
        span(id, 'GET /', at, { node: 'cart' }),
        span(id, 'lookup', at, { node: 'cart', parentId: 'GET /' }),
        ...(calls ? [span(id, 'SELECT', at, { node: 'db', parentId: 'lookup' })] : []),
      ];
    }).flat(),
  );
  return buildTraces(spans, { ...frame, now: 200_000, reportedAt: 50_000 });
};

test.each([
  ['a few', 'half of the', 2, 20, ['cart']],
  ['half of the', 'as many', 20, 22, []],
  ['all', 'none of the', 40, 0, []],
])('of %s requests that called the database, then %s requests', (_, __, usual, now, expected) => {
  expect(callsMoreOften(requests(usual, now), 'db')).toEqual(expected);
});
