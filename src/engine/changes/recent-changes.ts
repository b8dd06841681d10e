import type { Observations } from '../observations.js';
import type { RecentChange } from '../ranking.js';
import { idOfChange, titleOfChange } from './unread-changes.js';

/** The first question of an operator is what was changed last: the maximum age of such a change. */
const RECENT_MS = 60 * 60_000;
const MOST_RECENT = 20;

/**
 * The changes at nodes in the last hour, newest first, whether any telemetry is anomalous or not.
 */
export const recentChanges = ({
  changes,
  frame: { now },
}: Pick<Observations, 'changes' | 'frame'>): RecentChange[] =>
  changes
    .filter(({ at }) => at <= now && at > now - RECENT_MS)
    .toSorted((a, b) => b.at - a.at)
    .flatMap((change): RecentChange[] => {
      const { node, at } = change;
      const id = idOfChange(change);
      return node === undefined || id === undefined
        ? []
        : [{ change: id, node, at, title: titleOfChange(change) }];
    })
    .slice(0, MOST_RECENT);
