import type { FailureKind } from '../../domain/diagnosis/failure-kind.js';
import type { ToolRecording } from '../../domain/telemetry/records.js';
import type { Row } from './columns.js';
import { gridRows } from './grid.js';

/** The findings in the sessions of a database. */
interface JudgedSessions {
  text: string;
  weight: number;
  kind: FailureKind;
  /** The entry of the catalogue of next steps, if more is known than the kind. */
  steps?: string;
}

const WEIGHT = 12;
/** The share of a server's connections from which none are left for the next client. */
const FULL = 0.95;
const PID = ['PID', 'ID'];

/**
 * The findings in the tables of sessions of PostgreSQL and MySQL in answers: locks, and exhausted
 * resources.
 */
export function judgeSessions(answers: readonly ToolRecording[]): JudgedSessions[] {
  const rows = answers.flatMap(({ output }) => gridRows(output));
  return [...heldLocks(rows), ...fullServer(rows)];
}

const cell = (row: Row, ...names: string[]): string =>
  names.map((name) => row.get(name)).find((value) => value !== undefined && value !== '') ?? '';

/** Sessions wait for a lock: the session that holds it and is idle, or does not wait itself. */
function heldLocks(rows: readonly Row[]): JudgedSessions[] {
  const blockers = rows.flatMap((row) =>
    [
      ...cell(row, 'PG_BLOCKING_PIDS', 'BLOCKED_BY', 'BLOCKING_PID', 'BLOCKING_PIDS').matchAll(
        /\d+/g,
      ),
    ].map(([pid]) => pid),
  );
  const sessions = rows.filter((row) => cell(row, ...PID) !== '' && cell(row, 'STATE') !== '');
  const waiting = sessions.filter(
    (row) =>
      cell(row, 'WAIT_EVENT_TYPE') === 'Lock' || /waiting for .*lock/i.test(cell(row, 'STATE')),
  );
  if (waiting.length === 0 && blockers.length === 0) return [];
  const waits = new Set(waiting.map((row) => cell(row, ...PID)));
  const free = sessions.filter((row) => !waits.has(cell(row, ...PID)));
  const isIdle = (row: Row) => /idle in transaction/i.test(cell(row, 'STATE'));
  const holder =
    free.find((row) => blockers.includes(cell(row, ...PID))) ?? free.find((row) => isIdle(row));
  const count = Math.max(waiting.length, new Set(blockers).size);
  const others = count === 1 ? 'one session waits' : `${count} sessions wait`;
  const first = holder ?? waiting[0];
  if (first === undefined) {
    const text = `Session ${blockers[0]} holds a lock for which others wait`;
    return [{ text, kind: 'lock', weight: WEIGHT }];
  }
  const of = [cell(first, 'USENAME', 'USER'), cell(first, 'APPLICATION_NAME', 'HOST')].filter(
    (each) => each !== '',
  );
  const age = cell(first, 'XACT_AGE', 'DURATION', 'AGE', 'RUNTIME', 'TIME');
  const query = cell(first, 'QUERY', 'INFO');
  const state = cell(first, 'STATE');
  const since = age === '' ? '' : ` for ${age}`;
  const text = `Session ${cell(first, ...PID)} (${of.join(', ')}) is ${state}${since}${holder ? `, and ${others} for its locks` : ''}: ${query}`;
  return [
    { text, kind: 'lock', weight: WEIGHT, ...(isIdle(first) && { steps: 'idle-transaction' }) },
  ];
}

/** All allowed connections of the server are in use. */
function fullServer(rows: readonly Row[]): JudgedSessions[] {
  const numbersIn = (...names: string[]) =>
    rows
      .map((row) => cell(row, ...names))
      .filter((each) => /^\d+$/.test(each))
      .map(Number);
  const settings = rows.filter((row) =>
    /^max_connections$/i.test(cell(row, 'VARIABLE_NAME', 'NAME')),
  );
  const limits = [
    ...numbersIn('MAX_CONNECTIONS', 'MAX_CONN'),
    ...settings.map((row) => Number(cell(row, 'VALUE', 'SETTING'))),
  ];
  const [most = NaN] = limits;
  const used = numbersIn('COUNT', 'CONNECTIONS', 'USED', 'NUMBACKENDS').reduce((a, b) => a + b, 0);
  if (!(used >= most * FULL)) return [];
  const text = `${used} of ${most} connections are in use (max_connections)`;
  return [{ text, kind: 'connection-pool-exhausted', weight: WEIGHT }];
}
