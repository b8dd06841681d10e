import type { FailureKind } from '../domain/diagnosis/failure-kind.js';
import { callsIn } from './call-graph.js';
import type { FailingNode } from './first-failing.js';
import type { Observations } from './observations.js';
import { withoutSteps, type RankedCause } from './ranking.js';
import type { Sign } from './signs/sign.js';

/** Requests are slow: because of the node, of what it calls, or of what is asked of it. */
const SLOW: ReadonlySet<FailureKind> = new Set<FailureKind>([
  ...(['latency', 'timeout', 'slow-query', 'network-delay', 'queue-lag', 'load'] as const),
]);
/** Requests fail, and nothing below the node does. */
const FAILS: ReadonlySet<FailureKind> = new Set<FailureKind>([
  ...(['exception', 'unreachable', 'unknown'] as const),
]);
/** What requests show, which does not say why. */
export const isOfRequests = (kind: FailureKind): boolean => SLOW.has(kind) || FAILS.has(kind);
/** From here on a sign tells of a cause. */
const TELLS = 0.85;
/** Of a series: it moved by some hundred times of what it usually does. */
const CLEAR = 0.9;
const CONFIDENCE = 0.75;

/**
 * Says why the first suspect is slow or fails, of which requests show only that it does: a resource
 * that ran out, or a certificate that ended. Of a slow node the reason may lie at what it calls. It
 * may also lie at those that call it more often for each request than before, and at what they
 * call: a cache that misses sends its readers to what is behind it.
 */
export function withReasons(
  seen: Observations,
  ranked: readonly RankedCause[],
  failing: readonly FailingNode[],
): RankedCause[] {
  const [first] = ranked;
  if (first === undefined || !isOfRequests(first.kind)) return [...ranked];
  const reasons = failing.flatMap((node) => {
    const sign = node.evidence.find(isReason);
    return sign === undefined ? [] : [{ node, sign }];
  });
  const { node: suspect, kind, loadedBy = [] } = first;
  const calls = callsIn(seen);
  const near = [suspect, ...loadedBy].flatMap((id) => [id, ...(calls.get(id) ?? [])]);
  const found =
    reasons.find(({ node }) => node.node === suspect) ??
    reasons.find(({ node }) => SLOW.has(kind) && near.includes(node.node));
  if (found === undefined) return [...ranked];
  const { node, sign } = found;
  const known = ranked.find((cause) => cause.node === node.node);
  const cause: RankedCause = {
    node: node.node,
    against: [],
    ...(known && withoutSteps(known)),
    kind: sign.kind ?? kind,
    ...(sign.steps !== undefined && { steps: sign.steps }),
    title: sign.says,
    score: first.score + sign.tells,
    confidence: Math.max(CONFIDENCE, known?.confidence ?? 0),
    for: [sign.says, ...(known ?? node).for.filter((each) => each !== sign.says)],
  };
  return [cause, ...ranked.filter((each) => each !== known)];
}

const isReason = ({ kind, from, spreads, tells, weight }: Sign): boolean =>
  kind !== undefined &&
  from !== 'caller' &&
  !SLOW.has(kind) &&
  !FAILS.has(kind) &&
  !spreads &&
  tells >= TELLS &&
  weight >= CLEAR;
