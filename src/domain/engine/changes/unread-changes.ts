import type { Change } from '../records.js';
import type { ChangeScene } from './change-scene.js';

/** As much as time and place alone can say of a change. */
const MOST = 0.5;
/** A flag or a restart takes effect at once: minutes in which all is well speak against it. */
const SOON_MS = 2 * 60_000;
/** Clocks and scrape intervals blur an onset by this much. */
const SLACK_MS = 45_000;
/** What grows slowly is seen late, by as much as this share of the time for which it grew. */
const SEEN_LATE = 0.25;
/** Other nodes showed trouble before its own. */
const NOT_FIRST = 0.3;

/** How well the time and the place of a change fit, and why. */
export interface Coincidence {
  score: number;
  for: string[];
  against: string[];
}

/**
 * The changes whose content was not recorded: flags, configuration and manual steps without a diff; deploys where no commit with a
 * diff was recorded at all.
 */
export function unreadChanges(changes: readonly Change[]): Change[] {
  const hasCommits = changes.some(({ kind, diff }) => kind === 'commit' && diff !== undefined);
  return changes.filter(
    ({ kind, diff }) =>
      diff === undefined && kind !== 'commit' && (kind !== 'deploy' || !hasCommits),
  );
}

/**
 * What time and place say of a change of which nothing else is known: it is suspect if it went live at the node that shows trouble
 * first, shortly before it does. The first question of an operator is what was changed last (Beyer et al., Site Reliability
 * Engineering, 2016, chapter 12).
 *
 * @param scene `unwell`: when each unwell node became so, ms; `growing`: how long that grew by which a node became unwell, ms; none
 * for what stepped; `recorded`: the nodes of which anything was recorded
 */
export function judgeUnread(
  { node, at }: Change,
  { unwell, growing, recorded }: Pick<ChangeScene, 'unwell' | 'growing' | 'recorded'>,
): Coincidence {
  const since = node === undefined ? undefined : unwell.get(node);
  if (node === undefined) return { score: 0, for: [], against: ['it names no node'] };
  if (since === undefined) {
    const silence = recorded.has(node)
      ? `${node} shows no trouble`
      : `nothing was recorded of ${node}`;
    return { score: 0, for: [], against: [silence] };
  }
  const gap = since - at;
  const clock = (time: number) => new Date(time).toISOString().slice(11, 16);
  if (gap < -SLACK_MS)
    return {
      ...{ score: 0, for: [] },
      against: [`live at ${clock(at)}, after ${node} showed trouble at ${clock(since)}`],
    };
  const isFirst = since <= Math.min(...unwell.values()) + 2 * SLACK_MS;
  const soon = SOON_MS + SEEN_LATE * (growing.get(node) ?? 0);
  return {
    score: MOST * Math.exp(-Math.max(0, gap) / soon) * (isFirst ? 1 : NOT_FIRST),
    for: [
      `live at ${clock(at)}, ${Math.max(0, Math.round(gap / 60_000))} min before ${node} shows trouble${isFirst ? ', as the first node' : ''}`,
    ],
    against: isFirst ? [] : ['other nodes show trouble before it'],
  };
}

/** What a change is known by: its id, else the flag, the commit or the version that it names. */
export const idOfChange = ({ id, flag, commit, version }: Change): string | undefined =>
  id ?? flag ?? commit ?? version;

/** The first line of what is known of a change. */
export function titleOfChange({ kind, message, flag, from, to, version, node }: Change): string {
  const first = (message?.split('\n')[0] ?? '').slice(0, 120);
  if (kind === 'flag' && flag !== undefined)
    return `flag ${flag}: ${from ?? '?'} → ${to ?? '?'}${first === '' ? '' : `, ${first}`}`;
  if (first !== '') return first;
  return `${kind} ${[node, version].filter(Boolean).join(' ')}`.trim();
}
