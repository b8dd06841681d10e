import type { FailureKind } from '../../domain/diagnosis/failure-kind.js';
import { kindOfText } from '../../domain/failure-texts/kind-of-text.js';
import type { ObservedNode } from '../observations.js';
import type { Span } from '../../domain/telemetry/records.js';
import { spanKey } from './trace-tree.js';

/**
 * Attributes by which a client span names the far end: OpenTelemetry semantic conventions, before
 * and since 1.21; OpenTracing.
 */
const FAR_END = [
  'peer.service',
  'server.address',
  'net.peer.name',
  'db.name',
  'messaging.destination.name',
];

/** Failures of a call that occur at its far end, or before it. */
const UNANSWERED: ReadonlySet<FailureKind> = new Set([
  'unreachable',
  'timeout',
  'certificate-expired',
  'network-policy',
]);
/** A text that is less specific about a failed call leaves open on which side it failed. */
const TELLING = 0.4;

/**
 * Assigns calls without spans below them to the called node, if the topology has it: the duration
 * and failure of such a call belong to its far end. For a node that writes no spans itself, such as
 * a database, these are all calls; for others, those that fail although similar calls were
 * answered.
 */
export function placeUntracedCalls(
  spans: readonly Span[],
  nodes: readonly ObservedNode[],
): readonly Span[] {
  const traced = new Set(spans.map(({ node }) => node));
  const idOf = new Map(
    nodes.flatMap(({ id, name }) => [name, id].map((each) => [each.toLowerCase(), id])),
  );
  const nodeAt = (host = '') =>
    idOf.get(host.toLowerCase()) ?? idOf.get(host.toLowerCase().split(/[.:]/)[0] ?? '');
  const farEndOf = ({ attributes }: Span) =>
    FAR_END.map((name) => nodeAt(attributes[name])).find((id) => id !== undefined);
  const callOf = (span: Span) => `${span.node ?? ''}|${span.name}|${farEndOf(span) ?? ''}`;
  const parents = new Set(spans.map(({ traceId, parentId = '' }) => spanKey(traceId, parentId)));
  const isParent = ({ traceId, spanId }: Span) => parents.has(spanKey(traceId, spanId));
  const answered = new Set(spans.filter(isParent).map(callOf));
  return spans.map((span) => {
    const node = farEndOf(span);
    if (node === undefined || node === span.node || isParent(span)) return span;
    const isUnanswered =
      span.error !== undefined && answered.has(callOf(span)) && isOfFarEnd(span.error);
    return traced.has(node) && !isUnanswered ? span : { ...span, node, kind: 'client' };
  });
}

function isOfFarEnd(error: string): boolean {
  const said = kindOfText(error);
  return said === undefined || said.tells < TELLING || UNANSWERED.has(said.kind);
}
