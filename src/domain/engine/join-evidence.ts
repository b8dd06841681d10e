import { CONVICT } from './changes/change-suspects.js';
import { idOfChange } from './changes/unread-changes.js';
import { rankFailingNodes, type FailingNode } from './first-failing.js';
import { kindOfFailure } from './kind-of-failure.js';
import type { Observations, Trouble } from './observations.js';
import { describeChange, judgeChanges, MOST_CHANGES } from './rank-by-changes.js';
import type { RankedCause, RankedChange } from './ranking.js';
import { withReasons } from './reasons.js';
import { meaningOf, nameOfSeries } from './series/meaning-of-metric.js';

/** What the cluster says counts as decisive from here on: a reason that Kubernetes names, and no consequence. */
const DECISIVE = 0.85;

/**
 * Adds to a ranking by metrics or spans what they cannot show: the change that explains the trouble, and what the cluster says of a
 * node's pods. A change counts only where one of the suspects got it.
 */
export function joinEvidence(
  seen: Observations,
  trouble: Trouble,
  ranked: readonly RankedCause[],
): { causes: RankedCause[]; changes: RankedChange[] } {
  const failing = rankFailingNodes(seen, trouble);
  const measured = withReasons(seen, withMetrics(trouble, ranked), failing);
  const causes = withCluster(seen, failing, measured);
  if (seen.changes.length === 0 || causes.length === 0) return { causes, changes: [] };
  const { suspects, symptoms } = judgeChanges(seen, trouble);
  const changes = suspects.slice(0, MOST_CHANGES).map(describeChange);
  const guilty = suspects.find(
    ({ score, node, mechanism }) =>
      score >= CONVICT &&
      causes.some((cause) => cause.node === node) &&
      // Time and place alone do not outweigh what was measured of another node.
      (mechanism !== undefined || node === causes[0]?.node),
  );
  const cause = causes.find(({ node }) => node === guilty?.node);
  const id = guilty && idOfChange(guilty.change);
  if (guilty === undefined || id === undefined || cause === undefined) return { causes, changes };
  const kind = kindOfFailure(guilty.mechanism, undefined, symptoms, [[cause.kind, 1]]);
  const first: RankedCause = {
    ...{ ...cause, kind, change: id },
    score: Math.max(...causes.map(({ score }) => score)) + 1,
    for: [...guilty.for, ...cause.for],
  };
  return { causes: [first, ...causes.filter((each) => each !== cause)], changes };
}

/** Less than any evidence counts by which a ranking was made: it decides between equals. */
const MEASURED = 0.05;

/** A delay between two nodes lies at the one whose own metrics show it. */
function withMetrics({ moved }: Trouble, ranked: readonly RankedCause[]): RankedCause[] {
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

function withCluster(
  seen: Observations,
  failing: readonly FailingNode[],
  ranked: readonly RankedCause[],
): RankedCause[] {
  if (seen.kubernetes.length === 0) return [...ranked];
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
    ...{ node, kind: cluster.kind, score: top + cluster.tells, confidence: 0.8 },
    ...{ title: cluster.says, for: [cluster.says], against: [] },
    ...(since !== undefined && { onset: since }),
  };
}
