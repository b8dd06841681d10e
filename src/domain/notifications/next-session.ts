import { rankOf, type EventSeverity } from './agent-event.js';
import type { Deferred, Group, NotificationState, Row } from './notification-state.js';

/** What is kept of one subject; behind that the least goes first, and never what is an error or worse. */
const MOST = 50;
/** What is kept at most, errors and all: of more, only how many there were. */
const UTMOST = 200;
/** Ids that are remembered, so that what is handed in again is not taken for another. */
const REMEMBERED = 300;
/** ms: who has taken something and is nowhere to be seen by then never came to be. */
const PATIENCE_MS = 60_000;

/** What is to be told in the next session. */
export interface Notice {
  /** Unique, and the same when it is handed in again. */
  id: string;
  /** The conversation that it came from: it is not told there. Null: from a diagnosis. */
  session: string | null;
  /** ms since the epoch. */
  at: number;
  group: Group;
}

/** What was only counted, for lack of room. */
export interface LeftOut {
  count: number;
  worst: EventSeverity;
}

/** What a session is told of those before it. */
export interface CarriedOver {
  notices: Notice[];
  leftOut: LeftOut | null;
}

interface Taken extends CarriedOver {
  runId: string;
  at: number;
}

/** What waits for the next session about one subject, and who has taken what of it. Plain JSON. */
export interface NextSession {
  waiting: Notice[];
  taken: Taken[];
  /** Ids that came in before, oldest first. */
  known: string[];
  leftOut: LeftOut | null;
}

export const nobodyWaits = (): NextSession => ({
  waiting: [],
  taken: [],
  known: [],
  leftOut: null,
});

/** What has become of a run that has taken something: it has `told` of it, it never will, or that is not known yet. */
export type DeliveryState = 'told' | 'untold' | 'open' | 'none';

/** What an agent has put off until the next session: the rest of its notifications is not looked at. */
export const putOff = ({ deferred }: NotificationState): Deferred[] =>
  deferred.filter(({ deferral }) => deferral.when === 'next_session');

/** Hands in what is to be told next time. What is known is left alone; what says the same as another becomes one with a count. */
export function handIn(
  state: NextSession,
  notices: readonly Notice[],
  oldest: number,
): NextSession {
  let { leftOut } = state;
  const waiting = state.waiting.filter(({ at }) => at >= oldest);
  const known = new Set(state.known);
  for (const notice of notices) {
    if (known.has(notice.id)) continue;
    known.add(notice.id);
    const at = waiting.findIndex((other) => saysTheSame(other, notice));
    if (at >= 0) waiting[at] = asOne(waiting[at] as Notice, notice);
    else waiting.push(notice);
    if (waiting.length <= MOST) continue;
    const least = waiting.reduce(
      (low, other, i) =>
        rankOf(worstOf(other)) < rankOf(worstOf(waiting[low] as Notice)) ? i : low,
      0,
    );
    if (rankOf(worstOf(waiting[least] as Notice)) >= rankOf('error') && waiting.length <= UTMOST)
      continue;
    const [gone] = waiting.splice(least, 1);
    if (gone) leftOut = counted(leftOut, gone);
  }
  return { ...state, waiting, leftOut, known: [...known].slice(-REMEMBERED) };
}

/**
 * Takes out what a run is to tell: all but what came from its own conversation. Repeated for the same run it is the same.
 * @param fates of the runs that have taken something
 */
export function takeOut(
  state: NextSession,
  {
    runId,
    session,
    fates,
    now,
    oldest,
  }: {
    runId: string;
    session: string;
    fates: ReadonlyMap<string, DeliveryState>;
    now: number;
    oldest: number;
  },
): { state: NextSession; carried: CarriedOver } {
  const known = returned(state, fates, now);
  const before = known.taken.find((taken) => taken.runId === runId);
  if (before)
    return { state: known, carried: { notices: before.notices, leftOut: before.leftOut } };
  const fresh = known.waiting.filter(({ at }) => at >= oldest);
  const notices = fresh.filter((notice) => notice.session !== session);
  const carried = { notices, leftOut: known.leftOut };
  if (notices.length === 0 && known.leftOut === null)
    return { state: { ...known, waiting: fresh }, carried };
  const taken = [...known.taken, { ...carried, runId, at: now }];
  return {
    state: {
      ...known,
      waiting: fresh.filter((notice) => notice.session === session),
      taken,
      leftOut: null,
    },
    carried,
  };
}

/** What runs have taken that never told of it waits again; what was told is forgotten. */
function returned(
  state: NextSession,
  fates: ReadonlyMap<string, DeliveryState>,
  now: number,
): NextSession {
  const back = state.taken.filter(({ runId, at }) => {
    const fate = fates.get(runId);
    return fate === 'untold' || (fate === 'none' && now - at >= PATIENCE_MS);
  });
  const leftOut = back.reduce((sum, taken) => together(sum, taken.leftOut), state.leftOut);
  return {
    ...state,
    waiting: [...back.flatMap(({ notices }) => notices), ...state.waiting],
    taken: state.taken.filter(
      (taken) => !back.includes(taken) && fates.get(taken.runId) !== 'told',
    ),
    leftOut,
  };
}

/** Puts what was carried over among what the model is told at the start of its turn. In place. */
export function receive(
  state: NotificationState,
  { notices, leftOut }: CarriedOver,
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
  for (const { group } of notices)
    add({
      ...group,
      rows: group.rows.map((row) => ({
        ...row,
        text: `from an earlier session: ${row.text}`,
        carried: true as const,
      })),
    });
  if (leftOut === null) return;
  const text = `from earlier sessions: ${leftOut.count} more that there was no room for, up to ${leftOut.worst}`;
  const row: Row = {
    type: 'agent.self.remind',
    severity: leftOut.worst,
    text,
    count: 1,
    key: '',
    at: now,
    carried: true,
  };
  add({ subscriber: 'next_session', name: 'Earlier sessions', priority: 'low', rows: [row] });
}

const worstOf = ({ group }: Notice): EventSeverity =>
  group.rows.reduce<EventSeverity>(
    (worst, { severity }) => (rankOf(severity) > rankOf(worst) ? severity : worst),
    'debug',
  );

const countOf = ({ group }: Notice): number =>
  group.rows.reduce((sum, { count }) => sum + count, 0);

const saysTheSame = (one: Notice, other: Notice): boolean =>
  one.session === other.session &&
  one.group.subscriber === other.group.subscriber &&
  one.group.rows.length === 1 &&
  other.group.rows.length === 1 &&
  one.group.rows[0]?.text === other.group.rows[0]?.text;

function asOne(one: Notice, other: Notice): Notice {
  const rows = one.group.rows.map((row) => ({ ...row, count: row.count + countOf(other) }));
  return { ...one, at: other.at, group: { ...one.group, rows } };
}

const counted = (sum: LeftOut | null, notice: Notice): LeftOut | null =>
  together(sum, { count: countOf(notice), worst: worstOf(notice) });

function together(one: LeftOut | null, other: LeftOut | null): LeftOut | null {
  if (one === null || other === null) return one ?? other;
  return {
    count: one.count + other.count,
    worst: rankOf(one.worst) > rankOf(other.worst) ? one.worst : other.worst,
  };
}
