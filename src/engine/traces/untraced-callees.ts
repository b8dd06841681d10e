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

/** Failures of a call that lie at its far end, or before it. */
const UNANSWERED: ReadonlySet<FailureKind> = new Set([
  'unreachable',
  'timeout',
  'certificate-expired',
  'network-policy',
]);
/** A text that tells less of why a call failed leaves it open on which side it did. */
const TELLING = 0.4;

/**
 * Gives calls with nothing below them to the node that is called, if the topology has it: what such
 * a call takes or how it fails is the doing of its far end. So are all calls of what writes no
 * spans itself, such as a database; of what does, those that fail though calls like them were
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
