import { latestRanking } from './ranked-causes.js';
import type { Finding, RootCause } from './finding.js';
import type { Measurement } from './measurement.js';

/** Maximum changes of each root cause. */
const MOST_CHANGES = 3;

/**
 * The latest changes at root causes that no change explains. A probe measures that a node fails,
 * and not since when: a recent change is worth a check, and proves nothing. Changes that the
 * ranking has judged are findings already.
 */
export function recentChangesAt(
  rootCauses: readonly Pick<RootCause, 'node' | 'change'>[],
  all: readonly Measurement[],
): Finding[] {
  const last = latestRanking(all);
  const { recent = [], rejected = [], now = last?.at } = last?.ranking ?? {};
  if (last === undefined || now === undefined) return [];
  return rootCauses
    .filter(({ change }) => change === undefined)
    .flatMap(({ node }) =>
      recent
        .filter((each) => each.node === node)
        .filter(({ title }) => !rejected.some((each) => each.title.endsWith(title)))
        .slice(0, MOST_CHANGES),
    )
    .map(({ node, title, at }): Finding => ({
      node,
      title: `changed ${agoIn(now, at)} it was measured, which may be the cause: ${title}`,
      detail: 'No measurement shows whether the failure began before or after this.',
      severity: 'info',
      symptom: 'advisory',
      origin: 'measured',
      evidence: [last.sequence],
    }));
}

const agoIn = (now: string, at: string): string => {
  const minutes = Math.round((Date.parse(now) - Date.parse(at)) / 60_000);
  return minutes > 0 ? `${minutes} min before` : 'right before';
};
