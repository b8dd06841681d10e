import { rankOf, type EventSeverity } from './agent-event.js';
import type {
  DeferredGroup,
  Group,
  NotificationState,
  NotificationRow,
} from './notification-state.js';

/** Maximum notices per subject; of further ones, the least severe are only counted. */
const MOST = 50;

/** A notice for a later conversation of the same caller about the same topology. */
export interface Notice {
  /** Unique, and the same if it is added again. */
  id: string;
  /**
   * The conversation that it came from, which does not receive it. Null: from a diagnosis; no
   * longer created.
   */
  session: string | null;
  /** The run that left it. Absent in notices of earlier versions. */
  runId?: string;
  /** ms since the epoch. */
  at: number;
  group: Group;
}

/** Notices that were only counted. */
export interface OmittedNotices {
  count: number;
  worst: EventSeverity;
}

/** The notices that a conversation starts with. */
export interface CarriedOver {
  notices: Notice[];
  leftOut: OmittedNotices | null;
}

/** The waiting notices of one subject. Plain JSON. */
export interface WaitingNotices {
  waiting: Notice[];
  leftOut: OmittedNotices | null;
}

export const noNotices = (): WaitingNotices => ({ waiting: [], leftOut: null });

/** The notifications of an agent that are for a later conversation. */
export const deferredNotices = ({ deferred }: NotificationState): DeferredGroup[] =>
  deferred.filter(({ deferral }) => deferral.when === 'next_session');

/** An agent's notifications without deferred ones. */
export const without = (
  state: NotificationState,
  gone: readonly DeferredGroup[],
): NotificationState => ({
  ...state,
  deferred: state.deferred.filter((deferred) => !gone.includes(deferred)),
});

/**
 * Adds notices. A notice whose id is already waiting is a duplicate.
 * @param oldest older notices are dropped; ms since the epoch
 */
export function addNotices(
  { waiting, leftOut }: WaitingNotices,
  notices: readonly Notice[],
  oldest: number,
): WaitingNotices {
  const byId = new Map(
    [...notices, ...waiting].filter(({ at }) => at >= oldest).map((notice) => [notice.id, notice]),
  );
  const all = [...byId.values()].sort((a, b) => a.at - b.at);
  // Keeps the most severe notices, and of equal ones the newest.
  const kept = new Set(
    [...all]
      .reverse()
      .sort((a, b) => rankOf(worstOf(b)) - rankOf(worstOf(a)))
      .slice(0, MOST),
  );
  const dropped = all.filter((notice) => !kept.has(notice));
  return {
    waiting: all.filter((notice) => kept.has(notice)),
    leftOut: dropped.reduce(counted, leftOut),
  };
}

/** The notices for a conversation: all except its own. */
export const noticesFor = (
  { waiting, leftOut }: WaitingNotices,
  session: string,
  oldest: number,
): CarriedOver => ({
  notices: waiting.filter((notice) => notice.session !== session && notice.at >= oldest),
  leftOut,
});

/** Removes notices that were delivered. */
export function removeNotices(
  { waiting, leftOut }: WaitingNotices,
  delivered: CarriedOver,
): WaitingNotices {
  const ids = new Set(delivered.notices.map(({ id }) => id));
  const left = (leftOut?.count ?? 0) - (delivered.leftOut?.count ?? 0);
  return {
    waiting: waiting.filter(({ id }) => !ids.has(id)),
    leftOut: leftOut && left > 0 ? { ...leftOut, count: left } : null,
  };
}

/**
 * Adds notices to the notifications that the model gets at the start of its turn. Changes the
 * state.
 */
export function receiveNotices(
  state: NotificationState,
  carried: readonly CarriedOver[],
  now: number,
): void {
  const add = (group: Omit<Group, 'order' | 'opened' | 'closed' | 'inject_at'>) =>
    state.groups.push({
      ...group,
      inject_at: 'turn_start',
      opened: now,
      order: ++state.opened,
      closed: true,
    });
  for (const { notices, leftOut } of carried) {
    for (const { group, runId } of notices) {
      const rows = group.rows.map((row) => ({
        ...row,
        text: `from an earlier session: ${row.text}`,
        carried: true as const,
        origin: runId === undefined ? 'an earlier session' : `an earlier session, run ${runId}`,
      }));
      add({ ...group, rows });
    }
    if (leftOut === null) continue;
    const row: NotificationRow = {
      type: 'agent.self.remind',
      severity: leftOut.worst,
      text: `from earlier sessions: ${leftOut.count} more were left out, up to severity ${leftOut.worst}`,
      count: 1,
      key: '',
      at: now,
      carried: true,
    };
    add({ subscriber: 'next_session', name: 'Earlier sessions', priority: 'low', rows: [row] });
  }
}

const worstOf = ({ group }: Notice): EventSeverity =>
  group.rows.reduce<EventSeverity>(
    (worst, { severity }) => (rankOf(severity) > rankOf(worst) ? severity : worst),
    'debug',
  );

function counted(sum: OmittedNotices | null, notice: Notice): OmittedNotices {
  const count = notice.group.rows.reduce((total, row) => total + row.count, 0);
  const worst = worstOf(notice);
  if (sum === null) return { count, worst };
  return { count: sum.count + count, worst: rankOf(sum.worst) > rankOf(worst) ? sum.worst : worst };
}
