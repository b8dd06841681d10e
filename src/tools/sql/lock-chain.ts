import type { SqlRow } from '../../sources/sql/sql-task.js';
import { numberIn, textIn } from './sql-values.js';

/** A session that waits for a lock, or holds one that another waits for. */
export interface LockSession {
  pid: number;
  blockers: number[];
  state: string;
  /** Seconds in this state. */
  waited: number;
  /** Seconds since its transaction began. */
  transaction: number;
  application: string;
  database: string;
  query: string;
}

/** A session that does not wait and blocks others, directly or through them. */
export interface RootBlocker {
  session: LockSession;
  /** The sessions that wait for it, the longest first. */
  waiting: LockSession[];
}

/** @param shown a statement without its literals: they are the users' data, and may be passwords */
export const lockSessionIn = (row: SqlRow, shown: (query: string) => string): LockSession => ({
  pid: numberIn(row, 'pid'),
  blockers: Array.isArray(row['blockers']) ? row['blockers'].filter(isNumber) : [],
  state: textIn(row, 'state'),
  waited: numberIn(row, 'waited_s'),
  transaction: numberIn(row, 'xact_s'),
  application: textIn(row, 'application'),
  database: textIn(row, 'database'),
  query: shown(textIn(row, 'query')),
});

const isNumber = (value: unknown): value is number => typeof value === 'number';

/**
 * Follows each waiting session to the one at the end of its chain; a cycle is a deadlock, which
 * PostgreSQL itself ends.
 */
export function rootBlockers(sessions: readonly LockSession[]): RootBlocker[] {
  const byPid = new Map(sessions.map((session) => [session.pid, session]));
  const roots = new Map<number, RootBlocker>();
  for (const session of sessions.filter(({ blockers }) => blockers.length > 0)) {
    const seen = new Set<number>();
    let current = session;
    for (;;) {
      const blocker = current.blockers.find((pid) => byPid.has(pid));
      const next = blocker === undefined ? undefined : byPid.get(blocker);
      if (next === undefined || seen.has(next.pid)) break;
      seen.add(next.pid);
      current = next;
    }
    if (current.blockers.length > 0) continue;
    const root = roots.get(current.pid) ?? { session: current, waiting: [] };
    root.waiting.push(session);
    roots.set(current.pid, root);
  }
  for (const { waiting } of roots.values()) waiting.sort((a, b) => b.waited - a.waited);
  return [...roots.values()].toSorted((a, b) => b.waiting.length - a.waiting.length);
}
