import { pause } from '../../lib/async.js';
import { LACKS_PRIVILEGE } from '../../sources/mysql/mysql-codes.js';
import type { SqlSession } from '../../sources/sql/sql-session.js';
import type { SqlRow } from '../../sources/sql/sql-task.js';
import { codeOf } from '../net/network-error.js';
import { numberIn, textIn } from '../sql/sql-values.js';

const STATUS = [
  'Aborted_connects',
  'Connection_errors_max_connections',
  'Innodb_buffer_pool_read_requests',
  'Innodb_buffer_pool_reads',
  'Innodb_deadlocks',
  'Open_files',
  'Slow_queries',
  'Threads_connected',
  'Threads_running',
  'Uptime',
];
const VARIABLES = [
  'long_query_time',
  'max_connections',
  'open_files_limit',
  'read_only',
  'version',
];
const names = (all: readonly string[]) => all.map((name) => `'${name}'`).join(', ');

/**
 * The queries, by name: the first form that the server supports. No statement reads a table of a
 * user or waits for one: the server may be faulty. Sessions as `LockSession` has them: by user,
 * since connections have no other name.
 */
export const QUERIES = {
  variables: [`show global variables where variable_name in (${names(VARIABLES)})`],
  status: [`show global status where variable_name in (${names(STATUS)})`],
  clients: [
    `select user as name, count(*) as used from information_schema.processlist
     where command <> 'Daemon' and user not in ('system user', 'event_scheduler') group by user order by used desc limit 5`,
  ],
  transactions: [
    `select t.trx_mysql_thread_id as pid, p.user as application, p.db as \`database\`, p.time as state_s,
     if(p.command = 'Sleep', 'idle in transaction', 'active') as state,
     timestampdiff(second, t.trx_started, now()) as xact_s,
     coalesce(timestampdiff(second, t.trx_wait_started, now()), 0) as waited_s,
     left(coalesce(t.trx_query, p.info, ''), 200) as query
     from information_schema.innodb_trx t join information_schema.processlist p on p.id = t.trx_mysql_thread_id
     where p.id <> connection_id() order by t.trx_state = 'LOCK WAIT' desc, t.trx_started limit 100`,
  ],
  // MySQL 8, then MariaDB.
  waits: [
    `select r.trx_mysql_thread_id as pid, b.trx_mysql_thread_id as blocker from performance_schema.data_lock_waits w
     join information_schema.innodb_trx r on r.trx_id = w.requesting_engine_transaction_id
     join information_schema.innodb_trx b on b.trx_id = w.blocking_engine_transaction_id limit 100`,
    `select r.trx_mysql_thread_id as pid, b.trx_mysql_thread_id as blocker from information_schema.innodb_lock_waits w
     join information_schema.innodb_trx r on r.trx_id = w.requesting_trx_id
     join information_schema.innodb_trx b on b.trx_id = w.blocking_trx_id limit 100`,
  ],
  metadata: [
    `select db as \`database\`, count(*) as sessions, max(time) as longest_s from information_schema.processlist
     where state like 'Waiting for%metadata lock' group by db limit 20`,
  ],
  history: [
    `select count as versions from information_schema.innodb_metrics where name = 'trx_rseg_history_len'`,
  ],
  // MariaDB, MySQL 8.0.22, older ones of both.
  replicas: ['show all replicas status', 'show replica status', 'show slave status'],
  // The statements that took most time, as the server groups them, without values; empty where it
  // keeps no such statistics.
  statements: [
    `select schema_name as \`database\`, left(digest_text, 500) as query, count_star as calls,
     avg_timer_wait / 1e9 as mean_ms, sum_timer_wait / 1e12 as total_s, sum_timer_wait / 1e0 / total as share
     from performance_schema.events_statements_summary_by_digest
     join (select sum(sum_timer_wait) as total from performance_schema.events_statements_summary_by_digest) all_of_them
     where schema_name is not null and digest_text rlike '^(SELECT|INSERT|UPDATE|DELETE|REPLACE|WITH)[[:space:]]' and total > 0
     order by sum_timer_wait desc limit 20`,
  ],
} as const;
export type MysqlQueryName = keyof typeof QUERIES;

/** The state that a MySQL or MariaDB reports. */
export interface MysqlReading {
  variables: Readonly<Record<string, string>>;
  /** Counters of two moments. */
  status: readonly [before: MysqlCounters, after: MysqlCounters];
  rows: Partial<Record<MysqlQueryName, readonly SqlRow[]>>;
  /**
   * Queries that the user may not make, that this version does not support, and that took too long.
   */
  forbidden: MysqlQueryName[];
  refused: MysqlQueryName[];
  slow: MysqlQueryName[];
  /** ms of the first one. */
  answerMs: number;
  queries: number;
}
export type MysqlCounters = Readonly<Record<string, number>>;

/** Unknown syntax, table, column or schema: another form may be supported. */
const UNKNOWN = new Set(['1049', '1054', '1064', '1109', '1146']);
/** The privilege for a table, a column, or something of the whole server. */
const FORBIDDEN = new Set(['1142', '1143', LACKS_PRIVILEGE]);
/** Ended by its time limit (MySQL, MariaDB); a lock that was not had in time. */
const SLOW = new Set(['3024', '1969', '1205']);

/** ms between the two readings of the counters. */
const INTERVAL_MS = 1_000;

interface MysqlReadOptions {
  /** Makes a text of the server fit for a result. */
  clean: (text: string) => string;
  signal: AbortSignal;
  intervalMs?: number;
}

/**
 * Runs all queries, one after the other. A refused or slow one does not prevent the others.
 * @throws errors of the connection
 */
export async function readMysql(
  session: SqlSession,
  { clean, signal, intervalMs = INTERVAL_MS }: MysqlReadOptions,
  clock = () => performance.now(),
): Promise<MysqlReading> {
  const rows: MysqlReading['rows'] = {};
  const [forbidden, refused, slow]: [MysqlQueryName[], MysqlQueryName[], MysqlQueryName[]] = [
    [],
    [],
    [],
  ];
  const ask = async (name: MysqlQueryName): Promise<readonly SqlRow[]> => {
    const forms = [...QUERIES[name]];
    let isForbidden = false;
    for (;;) {
      try {
        const found = await session.query(forms.shift() ?? '');
        return found.map((row) => cleanRow(row, clean));
      } catch (error) {
        const code = codeOf(error);
        isForbidden ||= FORBIDDEN.has(code);
        const isOdd = UNKNOWN.has(code) || FORBIDDEN.has(code);
        if (isOdd && forms.length > 0) continue;
        // It needs its own right and its own setting: most servers have neither.
        if (name === 'statements' && (isOdd || SLOW.has(code))) return [];
        if (isOdd) (isForbidden ? forbidden : refused).push(name);
        else if (SLOW.has(code)) slow.push(name);
        else throw error;
        return [];
      }
    }
  };
  const started = clock();
  const variables = valuesOf(await ask('variables'));
  const answerMs = clock() - started;
  const before = valuesOf(await ask('status'));
  const readAt = clock();
  for (const name of LATER) rows[name] = await ask(name);
  await pause(Math.max(0, intervalMs - (clock() - readAt)), signal);
  const after = valuesOf(await ask('status'));
  const status = [countersOf(before), countersOf(after)] as const;
  const asked = { forbidden, refused, slow, queries: session.count() };
  return { variables, status, rows, answerMs, ...asked };
}

const LATER = [
  ...(['clients', 'transactions', 'waits', 'metadata', 'history', 'replicas'] as const),
  'statements' as const,
];

/** Names are lower case: servers differ in the spelling of columns of information_schema. */
const cleanRow = (row: SqlRow, clean: (text: string) => string): SqlRow =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name.toLowerCase(),
      typeof value === 'string' ? clean(value) : value,
    ]),
  );

const valuesOf = (rows: readonly SqlRow[]): Record<string, string> =>
  Object.fromEntries(
    rows.map((row) => [textIn(row, 'variable_name').toLowerCase(), textIn(row, 'value')]),
  );

const countersOf = (values: Readonly<Record<string, string>>): MysqlCounters =>
  Object.fromEntries(
    Object.entries(values)
      .map(([name, value]) => [name, Number(value)] as const)
      .filter(([, value]) => Number.isFinite(value)),
  );

/** Sessions with what they wait for, as `LockSession` has them. */
export function lockRows({ rows }: Pick<MysqlReading, 'rows'>): SqlRow[] {
  const blockers = new Map<number, number[]>();
  for (const row of rows.waits ?? []) {
    const pid = numberIn(row, 'pid');
    blockers.set(pid, [...(blockers.get(pid) ?? []), numberIn(row, 'blocker')]);
  }
  return (rows.transactions ?? []).map((row) => ({
    ...row,
    blockers: blockers.get(numberIn(row, 'pid')) ?? [],
  }));
}
