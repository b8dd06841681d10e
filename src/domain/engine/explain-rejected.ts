import { nodeOfAlert, type Observations } from './observations.js';
import type { RankedCause, RankedChange, Rejected } from './ranking.js';

const MOST_CHANGES = 2;

/**
 * Says why what a person would look at first is not the cause: the node that the alert names, the latest deploy, the changes that
 * came nearest to being convicted, and the next suspect.
 */
export function explainRejected(
  { alerts, changes }: Observations,
  causes: readonly RankedCause[],
  considered: readonly RankedChange[],
  reportedAt: number,
): Rejected[] {
  const [first, second] = causes;
  if (first === undefined) return [];
  const rejected: Rejected[] = [];
  const alerting = nodeOfAlert(alerts[0]);
  const alertingCause = causes.find(({ node }) => node === alerting);
  if (alerting !== undefined && alerting !== first.node)
    rejected.push({
      node: alerting,
      title: 'the alert is about it, but it is not the root cause',
      reasons: nonEmpty(
        alertingCause?.against,
        `more speaks for ${first.node}: ${first.for[0] ?? first.title}`,
      ),
    });
  if (second !== undefined && second.node !== alerting)
    rejected.push({
      node: second.node,
      title: 'is the next suspect',
      reasons: nonEmpty(second.against, `less speaks for it than for ${first.node}`),
    });
  const innocent = considered.filter(({ change }) => change !== first.change);
  for (const { change, title, against } of innocent.slice(0, MOST_CHANGES))
    rejected.push({
      node: first.node,
      title: `change ${change.slice(0, 12)} is not the cause: ${title}`,
      reasons: nonEmpty(against, 'another change explains more of what is seen'),
    });
  const latest = changes
    .filter(({ kind, at }) => kind === 'deploy' && at <= reportedAt)
    .toSorted((a, b) => b.at - a.at)[0];
  const carried = considered.find(({ change }) => change === latest?.commit);
  if (
    latest?.node !== undefined &&
    latest.commit !== first.change &&
    !rejected.some(({ title }) => title.includes(latest.commit?.slice(0, 12) ?? '\n'))
  )
    rejected.push({
      node: latest.node,
      title: `the latest deploy (${latest.node}, ${new Date(latest.at).toISOString().slice(11, 16)}) is not the cause`,
      reasons: nonEmpty(
        carried?.against,
        'none of the changes that it can have brought explains what is seen',
      ),
    });
  return rejected;
}

const nonEmpty = (reasons: readonly string[] | undefined, otherwise: string): string[] =>
  reasons && reasons.length > 0 ? [...reasons] : [otherwise];
