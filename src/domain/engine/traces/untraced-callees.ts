import type { ObservedNode } from '../observations.js';
import type { Span } from '../records.js';
import { spanKey } from './trace-tree.js';

/** Attributes by which a client span names the far end: OpenTelemetry semantic conventions, before and since 1.21; OpenTracing. */
const FAR_END = [
  'peer.service',
  'server.address',
  'net.peer.name',
  'db.name',
  'messaging.destination.name',
];

/**
 * Gives calls of what writes no spans itself, such as a database, to the node that is called, if the topology has it: what a call
 * with nothing below it takes or how it fails is the doing of its far end.
 */
export function placeUntracedCalls(
  spans: readonly Span[],
  nodes: readonly ObservedNode[],
): readonly Span[] {
  const traced = new Set(spans.map(({ node }) => node));
  const untraced = new Map(
    nodes
      .filter(({ id }) => !traced.has(id))
      .flatMap(({ id, name }) => [
        [name.toLowerCase(), id],
        [id.toLowerCase(), id],
      ]),
  );
  if (untraced.size === 0) return spans;
  const parents = new Set(spans.map(({ traceId, parentId = '' }) => spanKey(traceId, parentId)));
  return spans.map((span) => {
    const far = FAR_END.map((name) => span.attributes[name]?.toLowerCase()).find(
      (value) => value !== undefined && untraced.has(value.split(/[.:]/)[0] ?? ''),
    );
    const node = far && untraced.get(far.split(/[.:]/)[0] ?? '');
    return node === undefined || parents.has(spanKey(span.traceId, span.spanId))
      ? span
      : { ...span, node };
  });
}
