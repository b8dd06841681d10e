import type { JsonObject } from '../../lib/json.js';
import type { Issue } from '../../domain/diagnosis/tool-result.js';
import type { SqlRow } from '../../sources/sql/sql-task.js';
import { round } from '../result.js';
import { type LockSession, lockSessionIn, rootBlockers } from './lock-chain.js';
import type { Owns } from './sql-login.js';
import { numberIn, seconds, textIn } from './sql-values.js';

export const WAIT_WARNING_S = 5;
export const WAIT_CRITICAL_S = 30;
const IDLE_S = 60;
const LONG_S = 120;

/** How sessions are judged. */
interface SessionRules {
  owns: Owns;
  /** A statement without its literals. */
  shown: (query: string) => string;
}

/**
 * Connections above `limit` percent.
 * @param clients `name` and number of `used` connections, the most first
 */
export function judgeConnections(
  percent: number,
  { most, used, limit }: { most: number; used: number; limit: number },
  clients: readonly SqlRow[],
): Issue[] {
  if (percent <= limit) return [];
  const holders = clients
    .map((row) => `${textIn(row, 'name')} ${numberIn(row, 'used')}`)
    .join(', ');
  return [
    {
      severity: percent >= 100 ? 'critical' : 'warning',
      symptom: 'saturated',
      kind: 'connection-pool-exhausted',
      title: `${used} of ${most} connections are in use`,
      detail: `Expected at most ${limit} %.${holders && ` Most are held by: ${holders}.`}`,
    },
  ];
}

/**
 * Sessions that wait for locks: an issue for each session at the root of a chain.
 * @param rows see `lockSessionIn`
 */
export function judgeLocks(
  rows: readonly SqlRow[],
  { owns, shown }: SessionRules,
): { issues: Issue[]; chain: JsonObject[] } {
  // Where sessions wait, since a lock of a shared object may be held from another database.
  const all = rootBlockers(rows.map((row) => lockSessionIn(row, shown)));
  const roots = all.filter(({ waiting }) => owns(waiting[0]?.database ?? '', 'session'));
  const strays = all.flatMap(({ waiting }): Issue[] => {
    const [{ database, waited } = { database: '', waited: 0 }] = waiting;
    if (owns(database, 'session') || waited <= WAIT_WARNING_S || !owns(database, 'stray'))
      return [];
    return [
      {
        severity: 'info',
        symptom: 'advisory',
        title: `sessions of the database ${database}, which is no node, wait for locks`,
        detail: `${waiting.length} wait, for ${seconds(waited)} at most. They do not count for this node: make the database a node, or select * of the server.`,
      },
    ];
  });
  const issues = roots.flatMap(({ session, waiting }): Issue[] => {
    const longest = waiting[0]?.waited ?? 0;
    if (longest <= WAIT_WARNING_S) return [];
    const count = waiting.length === 1 ? 'one session waits' : `${waiting.length} sessions wait`;
    return [
      {
        severity: longest > WAIT_CRITICAL_S ? 'critical' : 'warning',
        symptom: 'slow',
        kind: 'lock',
        part: String(session.pid),
        title: `${count} for locks of session ${session.pid}${isKnown(session) ? `, which is ${session.state}` : ''}`,
        detail: `Session ${session.pid} (${session.application || 'unnamed'}) ${whatItDoes(session)}. The longest wait is ${seconds(longest)}.`,
      },
    ];
  });
  const chain = roots.slice(0, 3).map(({ session, waiting }) => ({
    pid: session.pid,
    application: session.application,
    state: session.state,
    transaction_s: round(session.transaction),
    query: session.query,
    waiting: waiting
      .slice(0, 5)
      .map(({ pid, waited, query }) => ({ pid, waited_s: round(waited), query })),
  }));
  return { issues: [...issues, ...strays.slice(0, 1)], chain };
}

/** The state of a session without track_activities. */
const NOT_TRACKED = 'disabled';

/** The state is hidden from a user who lacks the right to see sessions of others. */
const isKnown = ({ state }: LockSession): boolean => state !== '' && state !== NOT_TRACKED;

const whatItDoes = (session: LockSession): string =>
  session.state === NOT_TRACKED
    ? 'holds them; what it does is not recorded (track_activities is off)'
    : isKnown(session)
      ? whatIsSeen(session)
      : 'holds them; what it does is hidden from the user';

const whatIsSeen = ({ state, transaction, query }: LockSession): string =>
  `is ${state}, its transaction began ${seconds(transaction)} ago; its last statement: ${query || 'not known'}`;

/**
 * Transactions that are idle, or that run for long.
 * @param rows `state`, `state_s`, `xact_s`, `application`, `database`, `query`
 */
export function judgeTransactions(rows: readonly SqlRow[], { owns, shown }: SessionRules): Issue[] {
  const own = rows.filter((row) => owns(textIn(row, 'database'), 'session'));
  return own.slice(0, 5).flatMap((row): Issue[] => {
    const age = numberIn(row, 'xact_s');
    const idle = numberIn(row, 'state_s');
    const isIdle = textIn(row, 'state').startsWith('idle in transaction');
    if (isIdle ? idle <= IDLE_S : age <= LONG_S) return [];
    const application = textIn(row, 'application');
    const pid = numberIn(row, 'pid');
    const who = `session ${pid}${application && ` (${application})`}`;
    return [
      {
        severity: 'warning',
        symptom: 'slow',
        ...(isIdle && { kind: 'lock' as const, steps: 'idle-transaction', part: String(pid) }),
        title: isIdle
          ? `${who} has been idle in a transaction for ${seconds(idle)}`
          : `a transaction of ${who} has run for ${seconds(age)}`,
        detail: `It keeps its locks, and old versions of rows from being removed. Its statement: ${shown(textIn(row, 'query')) || 'not known'}.`,
      },
    ];
  });
}
