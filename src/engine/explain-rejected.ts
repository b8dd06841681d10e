import { nodeOfAlert } from './alert-subject.js';
import { recordedNodes, type Observations } from './observations.js';
import type { RankedCause, RankedChange, RejectedSuspect } from './ranking.js';
import type { Change } from '../domain/telemetry/records.js';
import { clock } from './changes/lead-time.js';
import { idOfChange, shortId } from './changes/unread-changes.js';

const MOST_CHANGES = 2;
/** Onsets that are closer together have no order: points of series are a minute apart. */
const TELLING_MS = 90_000;

/**
 * Explains why the obvious candidates are not the cause: the node that the alert names, the latest
 * deploy, the changes that were nearly selected as the cause, and the next suspect.
 */
export function explainRejected(
  seen: Observations,
  causes: readonly RankedCause[],
  considered: readonly RankedChange[],
  reportedAt: number,
): RejectedSuspect[] {
  const [first, second] = causes;
  if (first === undefined || first.alertOnly) return [];
  const rejected: RejectedSuspect[] = [];
  const alerting = nodeOfAlert(seen);
  if (alerting !== undefined && alerting !== first.node) {
    const own = causes.find(({ node }) => node === alerting);
    rejected.push({
      node: alerting,
      title: 'the alert is about it, but it is not the root cause',
      reasons: nonEmpty(
        [
          ...(own?.against ?? []),
          ...laterThan(own, first),
          ...(recordedNodes(seen).has(alerting)
            ? []
            : ['nothing was recorded about it, so it is not ruled out']),
        ],
        `the evidence for ${first.node} is stronger: ${first.for[0] ?? first.title}`,
      ),
    });
  }
  if (second !== undefined && second.node !== alerting)
    rejected.push({
      node: second.node,
      title: 'is the next suspect',
      reasons: nonEmpty(
        [...second.against, ...laterThan(second, first)],
        `the evidence for ${first.node} is stronger`,
      ),
    });
  const latest = latestDeploy(seen.changes, reportedAt);
  const isLatest = ({ change }: RankedChange) =>
    latest !== undefined && [latest.commit, idOfChange(latest)].includes(change);
  const carried = considered.find(isLatest);
  const causingChange = considered.find(({ change }) => change === first.change);
  if (latest?.node !== undefined && (causingChange === undefined || !isLatest(causingChange)))
    rejected.push({
      node: latest.node,
      title: `the latest deploy (${latest.node}, ${clock(latest.at, reportedAt)}) ${carried ? verdictOn(carried) : 'is unlikely to be the cause'}`,
      reasons: carried
        ? reasonsOf(carried, first)
        : ['none of the changes that it may contain explains the failure'],
    });
  const others = considered.filter((each) => each !== causingChange && !isLatest(each));
  for (const each of others.slice(0, MOST_CHANGES))
    rejected.push({
      node: each.node ?? first.node,
      title: `change ${shortId(each.change)} ${verdictOn(each)}`,
      reasons: reasonsOf(each, first),
    });
  return rejected;
}

/** The evidence that a failure showed at a node only after it showed at the cause. */
function laterThan(own: RankedCause | undefined, first: RankedCause): string[] {
  const later = (own?.onset ?? NaN) - (first.onset ?? NaN);
  if (own?.onset === undefined || !(later > TELLING_MS)) return [];
  const minutes = Math.round(later / 60_000);
  return [`it became unhealthy at ${clock(own.onset)}, ${minutes} min after ${first.node}`];
}

const latestDeploy = (changes: readonly Change[], reportedAt: number): Change | undefined =>
  changes
    .filter(({ kind, at, failed }) => kind === 'deploy' && !failed && at <= reportedAt)
    .toSorted((a, b) => b.at - a.at)[0];

/** Lack of data does not rule a change out. */
const verdictOn = ({ isCleared, title }: RankedChange): string =>
  `${isCleared ? 'is not the cause' : 'is not ruled out'}: ${title}`;

/** The evidence against a change; if it is not ruled out, also the evidence for it. */
const reasonsOf = ({ isCleared, for: pro, against }: RankedChange, first: RankedCause): string[] =>
  nonEmpty(
    [
      ...(isCleared ? against : [...pro, ...against]),
      ...(first.change === undefined ? [] : ['another change explains more of the failure']),
    ],
    'no recorded evidence supports it',
  );

const nonEmpty = (reasons: readonly string[] = [], otherwise: string): string[] =>
  reasons.length > 0 ? [...reasons] : [otherwise];
