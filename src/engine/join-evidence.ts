import type { FailureKind } from '../domain/diagnosis/failure-kind.js';
import { callsIn, reachOf } from './call-graph.js';
import { LEAST_CAUSE_SCORE } from './changes/change-suspects.js';
import { effectsOf, type MechanismKind } from './changes/mechanisms/mechanism.js';
import { idOfChange } from './changes/unread-changes.js';
import { rankFailingNodes, type FailingNode } from './first-failing.js';
import type { ExternalCause } from './outside/external-cause.js';
import { providerNode } from './outside/provider-node.js';
import { kindOfExternal, kindOfFailure } from './kind-of-failure.js';
import type { Observations, Anomalies } from './observations.js';
import { describeChange, judgeChanges, MOST_CHANGES, titleOf } from './rank-by-changes.js';
import { withoutSteps, type RankedCause, type RankedChange } from './ranking.js';
import { isOfRequests, withReasons } from './reasons.js';
import type { TextSymptom } from './symptoms.js';
import { meaningOf, nameOfSeries } from './series/meaning-of-metric.js';

/**
 * From this weight on, a statement of the cluster is decisive: a reason that Kubernetes names, and
 * not a consequence.
 */
const DECISIVE = 0.85;

/**
 * Adds to a ranking by metrics or spans what they cannot show: why the first suspect is slow or
 * fails, the cluster's statements about a node's pods, and the change that explains the failure. A
 * change counts only if one of the suspects received it, or a neighbour of the first one.
 */
export function joinEvidence(
  seen: Observations,
  anomalies: Anomalies,
  ranked: readonly RankedCause[],
): { causes: RankedCause[]; changes: RankedChange[] } {
  const failing = rankFailingNodes(seen, anomalies);
  const measured = withReasons(seen, withMetrics(anomalies, ranked), failing);
  const known = withCluster(seen, failing, measured);
  if (known.length === 0) return { causes: known, changes: [] };
  const { suspects, symptoms, external } = judgeChanges(seen, anomalies);
  const causes = withProvider(seen, external, known);
  if (seen.changes.length === 0) return { causes, changes: [] };
  const changes = suspects.slice(0, MOST_CHANGES).map(describeChange);
  const [top] = causes;
  const calls = callsIn(seen);
  const near = neighboursOf(top?.node, calls);
  const rivals = rivalsOf(top?.node, calls);
  const causeOf = (node = '', takesMore = false): RankedCause | undefined =>
    causes.find((cause) => cause.node === node) ??
    (near.has(node) || (takesMore && rivals.has(node)) ? ofChange(node) : undefined);
  const causingChange = suspects.find(
    ({ score, node, mechanism }) =>
      score >=
        (causes.some((cause) => cause.node === node)
          ? LEAST_CAUSE_SCORE
          : LEAST_CAUSE_SCORE_NEAR) &&
      causeOf(node, takesMore(mechanism)) !== undefined &&
      // Time and place alone do not outweigh measurements of another node.
      (mechanism !== undefined || node === top?.node),
  );
  const cause = causeOf(causingChange?.node, takesMore(causingChange?.mechanism));
  const id = causingChange && idOfChange(causingChange.change);
  if (causingChange === undefined || id === undefined || cause === undefined)
    return { causes, changes };
  // One node uses too much of the resource that another one lacks.
  const kind =
    top !== undefined &&
    cause !== top &&
    SHORTAGES.has(top.kind) &&
    takesMore(causingChange.mechanism)
      ? top.kind
      : kindOfFailure(causingChange.mechanism, undefined, symptoms, [[cause.kind, 1]]);
  const first: RankedCause = {
    ...withoutSteps(cause),
    kind,
    change: id,
    title: titleOf(causingChange, undefined, kind),
    score: Math.max(...causes.map(({ score }) => score)) + 1,
    for: [...causingChange.for, ...cause.for],
  };
  return { causes: [first, ...causes.filter((each) => each !== cause)], changes };
}

/**
 * For a node that was not measured, a change is selected as the cause only if it explains the
 * failure well.
 */
const LEAST_CAUSE_SCORE_NEAR = 2 * LEAST_CAUSE_SCORE;

/** The callees of a node, and its callers. */
const neighboursOf = (
  node: string | undefined,
  calls: ReadonlyMap<string, ReadonlySet<string>>,
): ReadonlySet<string> =>
  new Set([
    ...(calls.get(node ?? '') ?? []),
    ...[...calls].flatMap(([caller, called]) => (called.has(node ?? '') ? [caller] : [])),
  ]);

/**
 * The callers of a node, and nodes that do the same work: they may use what the node or its callers
 * lack.
 */
function rivalsOf(node = '', calls: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> {
  const shared = new Set([node, ...(calls.get(node) ?? [])]);
  return new Set(
    [...calls.keys()].filter((id) => [...reachOf(id, calls)].some((each) => shared.has(each))),
  );
}

const SHORTAGES: ReadonlySet<FailureKind> = new Set(['capacity', 'unschedulable', 'rate-limited']);
const TAKEN: ReadonlySet<TextSymptom> = new Set(['load', 'throttle', 'pool']);
const takesMore = (mechanism: MechanismKind | undefined): boolean =>
  mechanism !== undefined &&
  effectsOf(mechanism).some(([symptom, weight]) => TAKEN.has(symptom) && weight >= 0.7);

/** A node about which only a change is known. */
const ofChange = (node: string): RankedCause => ({
  node,
  kind: 'unknown',
  score: 0,
  confidence: 0.6,
  title: '',
  for: [],
  against: [],
});

/** Weaker than any evidence of a ranking: it decides between equals. */
const MEASURED = 0.05;

/** A delay between two nodes is located at the one whose own metrics show it. */
function withMetrics({ moved }: Anomalies, ranked: readonly RankedCause[]): RankedCause[] {
  return ranked
    .map((cause): RankedCause => {
      const own = moved.find(({ node, onset, ...series }) => {
        const meaning = meaningOf(nameOfSeries(series));
        const isBad = meaning?.worse === onset.direction;
        return node === cause.node && isBad && meaning.kind === cause.kind;
      });
      if (own === undefined) return cause;
      const says = `${nameOfSeries(own)} left its usual band`;
      return { ...cause, score: cause.score + MEASURED, for: [...cause.for, says] };
    })
    .toSorted((a, b) => b.score - a.score);
}

/**
 * Requests of a node are slow, or fail, because of answers that it receives from outside of the
 * system.
 */
function withProvider(
  seen: Observations,
  external: readonly ExternalCause[],
  ranked: readonly RankedCause[],
): RankedCause[] {
  const [first, ...others] = ranked;
  const provider = external.find(({ kind }) => kind === 'provider-outage');
  if (first === undefined || provider === undefined || provider.node !== first.node)
    return [...ranked];
  if (!isOfRequests(first.kind)) return [...ranked];
  const kind = kindOfExternal(provider);
  const title = titleOf(undefined, provider, kind);
  const own = { ...withoutSteps(first), kind, title, for: [provider.says, ...first.for] };
  const node = providerNode(provider, seen, callsIn(seen));
  return node === undefined || node === first.node
    ? [own, ...others]
    : [
        { ...own, node, score: first.score + MEASURED, against: [] },
        first,
        ...others.filter((each) => each.node !== node),
      ];
}

function withCluster(
  seen: Observations,
  failing: readonly FailingNode[],
  ranked: readonly RankedCause[],
): RankedCause[] {
  if (seen.kubernetes.length + seen.recordings.length === 0) return [...ranked];
  const top = ranked[0]?.score ?? 1;
  const byFailure = failing.flatMap((node): RankedCause[] => {
    const cause = ofCluster(node, top);
    return cause === undefined ? [] : [cause];
  });
  const others = ranked.filter(({ node }) => !byFailure.some((each) => each.node === node));
  return [...byFailure, ...others];
}

function ofCluster({ node, cluster, since }: FailingNode, top: number): RankedCause | undefined {
  if (cluster?.kind === undefined || cluster.tells < DECISIVE) return undefined;
  return {
    node,
    kind: cluster.kind,
    ...(cluster.steps !== undefined && { steps: cluster.steps }),
    score: top + cluster.tells,
    confidence: 0.8,
    title: cluster.says,
    for: [cluster.says],
    against: [],
    ...(since !== undefined && { onset: since }),
  };
}
