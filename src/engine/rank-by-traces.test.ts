import { expect, test } from '@jest/globals';
import { MINUTE, observed } from '../../test/support/incidents/observations.js';
import { rankByTraces } from './rank-by-traces.js';
import type { Span } from '../domain/telemetry/records.js';

/**
 * A trace each half minute: the cart asks the database, which takes 5 ms, and in the incident two
 * seconds.
 */
function slowTraces(attributes: Span['attributes']): Span[] {
  return Array.from({ length: 40 }, (_, i) => {
    const start = i * (MINUTE / 2);
    const ms = start > 10 * MINUTE ? 2_000 : 5;
    const common = { traceId: `t${i}`, start };
    return [
      { ...common, spanId: 'a', node: 'cart', name: 'GET /', durationMs: ms + 4, attributes: {} },
      {
        ...common,
        spanId: 'b',
        parentId: 'a',
        node: 'cart',
        name: 'SELECT items',
        start: start + 2,
        durationMs: ms,
        attributes: { 'peer.service': 'db', ...attributes },
      },
    ];
  }).flat();
}

test.each([
  ['db.system.name', 'slow-query'],
  ['rpc.system', 'latency'],
])('takes slow calls with %s for %s of the node that is called', (name, kind) => {
  const [first] = rankByTraces(observed({ spans: slowTraces({ [name]: 'postgresql' }) }));
  expect(first).toMatchObject({ node: 'db', kind });
});

test('says why calls of a node without spans fail, in the words of the calls', () => {
  const spans = slowTraces({}).map((span) =>
    span.durationMs === 2_000 ? { ...span, error: 'Connection refused' } : span,
  );
  const [first] = rankByTraces(observed({ spans }));
  expect(first).toMatchObject({
    node: 'db',
    kind: 'unreachable',
    title: 'SELECT items: Connection refused',
  });
});

/** A trace each half minute: the shop asks for an order, which is charged, and then for adverts. */
function orders(isCharged: (at: number) => boolean, isShown: (at: number) => boolean): Span[] {
  return Array.from({ length: 60 }, (_, i) => {
    const start = i * (MINUTE / 3);
    const span = (spanId: string, parentId: string, node: string, after: number): Span => ({
      traceId: `t${i}`,
      spanId,
      ...(parentId !== '' && { parentId }),
      node,
      name: spanId,
      start: start + after,
      durationMs: 3 * (4 - spanId.length),
      attributes: {},
    });
    return [
      { ...span('buy', '', 'shop', 0), durationMs: 100 },
      { ...span('order', 'buy', 'cart', 2), durationMs: 40 },
      ...(isCharged(start) ? [{ ...span('charge', 'order', 'db', 5), durationMs: 20 }] : []),
      ...(isShown(start) ? [{ ...span('adverts', 'buy', 'db', 60), durationMs: 20 }] : []),
    ];
  }).flat();
}
const before = (at: number) => at < 12 * MINUTE;

test.each([
  ['goes on: it came back with a wrong answer', () => true, 'wrong-result'],
  ['stops as well: it failed', before, 'exception'],
] as const)('an operation that skips a call, whose caller %s', (_, isShown, kind) => {
  const [first] = rankByTraces(observed({ spans: orders(before, isShown) }));
  expect(first).toMatchObject({ node: 'cart', kind });
});
