import type { FailureKind } from '../domain/diagnosis/failure-kind.js';
import { callsIn } from './call-graph.js';
import type { FailingNode } from './first-failing.js';
import type { Observations } from './observations.js';
import { withoutSteps, type RankedCause } from './ranking.js';
import type { Sign } from './signs/sign.js';

/** Requests are slow: because of the node, of its callees, or of the content of the requests. */
const SLOW: ReadonlySet<FailureKind> = new Set<FailureKind>([
  ...(['latency', 'timeout', 'slow-query', 'network-delay', 'queue-lag', 'load'] as const),
]);
/** Requests fail, and nothing below the node does. */
const FAILS: ReadonlySet<FailureKind> = new Set<FailureKind>([
  ...(['exception', 'unreachable', 'unknown'] as const),
]);
/** Symptoms of requests, which do not show the reason. */
export const isOfRequests = (kind: FailureKind): boolean => SLOW.has(kind) || FAILS.has(kind);
/** From this value on a sign indicates a cause. */
const TELLS = 0.85;
/** For a series: it moved by some hundred times its usual movement. */
const CLEAR = 0.9;
const CONFIDENCE = 0.75;

/**
 * The reason why the first suspect is slow or fails, if requests show only that it does: an
 * exhausted resource, or an expired certificate. For a slow node the reason may be at its callees.
 * It may also be at callers that call it more often for each request than before, and at their
 * callees: the misses of a cache become requests to the system behind it.
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
