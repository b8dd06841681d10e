import { expect, test } from '@jest/globals';
import { MINUTE, observed } from '../../test/support/observations.js';
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
