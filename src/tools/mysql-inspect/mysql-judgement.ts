import type { Issue } from '../../domain/diagnosis/tool-result.js';
import type { SqlRow } from '../../sources/sql/sql-task.js';
import { atMost, round, slowIssue } from '../result.js';
import {
  judgeConnections,
  judgeLocks,
  judgeTransactions,
  WAIT_CRITICAL_S,
  WAIT_WARNING_S,
} from '../sql/judge-sessions.js';
import { judgeStatements } from '../sql/judge-statements.js';
import type { SqlJudgement, SqlThresholds } from '../sql/sql-inspector.js';
import { numberIn, seconds, textIn, withoutMysqlValues } from '../sql/sql-values.js';
import type { Owns } from '../sql/sql-login.js';
import { lockRows, type MysqlReading, type MysqlQueryName } from './mysql-read.js';

const RUNNING_PERCENT = 60;
const FILES_PERCENT = 75;
const LAG_S = 30;
const HISTORY = 50_000;
const MISSES_PERCENT = 1;
/**
 * Minimum pages that were requested between the two readings: below, their share on the disk is not
 * meaningful.
 */
const LEAST_PAGES = 1_000;

/**
 * The issues in the state of a MySQL or MariaDB. Limits: awesome-prometheus-alerts (CC BY 4.0) if
 * it has one, otherwise those of `judgePostgres`.
 */
export function judgeMysql(
  reading: MysqlReading,
  { connectionsPercent, slowMs }: SqlThresholds,
  owns: Owns,
): SqlJudgement {
  const { variables, rows, answerMs, queries } = reading;
  const [before, after] = reading.status;
  const grown = (name: string) => Math.max(0, (after[name] ?? 0) - (before[name] ?? 0));
  const most = Number(variables['max_connections'] ?? 0) || 0;
  const used = after['threads_connected'] ?? 0;
  const running = Math.min(before['threads_running'] ?? 0, after['threads_running'] ?? 0);
  const percent = percentOf(used, most);
  const rules = { owns, shown: withoutMysqlValues };
  const loads = judgeStatements(rows.statements ?? [], rules, slowMs);
  const locks = judgeLocks(lockRows(reading), rules);
  const hidden = hiddenFrom(reading);
  // Without the right to see transactions, the user sees only its own session.
  const clients = reading.forbidden.includes('transactions')
    ? []
    : (rows.clients ?? []).slice(0, 5);
  const limits = { most, used, limit: connectionsPercent };
  const issues = [
    ...judgeRefused(grown('connection_errors_max_connections'), most),
    ...judgeConnections(percent, limits, clients),
    ...judgeRunning(running, most),
    ...locks.issues,
    ...(rows.metadata ?? []).flatMap((row) => judgeMetadata(row, owns)),
    ...judgeTransactions(rows.transactions ?? [], rules),
    ...(rows.replicas ?? []).flatMap(judgeReplica),
    ...judgeReadOnly(isOn(variables['read_only']), rows.replicas),
    ...judgeStorage(reading, grown),
    ...loads.issues,
    ...slowIssue('answers', answerMs, slowMs, 'The first query took'),
    ...judgeReading(reading, hidden),
  ];
  return {
    measurements: {
      version: variables['version'] ?? '',
      read_only: isOn(variables['read_only']),
      uptime_s: after['uptime'] ?? 0,
      answer_ms: round(answerMs),
      connections_used: used,
      connections_most: most,
      connections_percent: percent,
      running,
      clients: clients.map((row) => ({ name: textIn(row, 'name'), used: numberIn(row, 'used') })),
      ...(locks.chain.length > 0 && { lock_chain: locks.chain }),
      ...(loads.statements.length > 0 && { statements: loads.statements }),
      slow_queries: grown('slow_queries'),
      deadlocks: grown('innodb_deadlocks'),
      queries,
    },
    issues,
    judged: atMost('connections_percent', percent, connectionsPercent),
    ...(hidden !== undefined && { hidden }),
  };
}

/** The information that is hidden if a query is forbidden. */
const HIDDEN: Partial<Record<MysqlQueryName, string>> = {
  transactions:
    'The user lacks the privilege PROCESS: sessions, transactions and locks of others are hidden.',
  waits:
    'The user may not select from performance_schema.data_lock_waits: which session holds up which is hidden.',
  replicas:
    'The user lacks the privilege REPLICA MONITOR (MySQL: REPLICATION CLIENT): replication is hidden.',
};

/**
 * The information that is hidden from the user, and the missing right; undefined if nothing is
 * hidden.
 */
function hiddenFrom({ forbidden }: MysqlReading): string | undefined {
  if (forbidden.length === 0) return undefined;
  // The privilege PROCESS shows these, too.
  const rest = forbidden.includes('transactions')
    ? forbidden.filter((name) => name !== 'waits' && name !== 'history')
    : forbidden;
  return rest.map((name) => HIDDEN[name] ?? `The user may not ask for: ${name}.`).join(' ');
}

const percentOf = (part: number, whole: number): number =>
  whole === 0 ? 0 : round((100 * part) / whole);
const isOn = (value: string | undefined): boolean => value === 'ON' || value === '1';
const note = (title: string, detail: string): Issue => ({
  severity: 'info',
  symptom: 'advisory',
  title,
  detail,
});

/** Clients that were refused between the readings. */
function judgeRefused(refused: number, most: number): Issue[] {
  if (refused === 0) return [];
  return [
    {
      severity: 'critical',
      symptom: 'saturated',
      kind: 'connection-pool-exhausted',
      title: `refuses clients: all ${most} connections are in use`,
      detail: `${refused} were refused between two readings (Connection_errors_max_connections).`,
    },
  ];
}

function judgeRunning(running: number, most: number): Issue[] {
  if (percentOf(running, most) <= RUNNING_PERCENT) return [];
  return [
    {
      severity: 'warning',
      symptom: 'saturated',
      kind: 'capacity',
      title: `${running} of ${most} connections run a statement at the same time`,
      detail: `Expected at most ${RUNNING_PERCENT} %, at both readings.`,
    },
  ];
}

/**
 * Statements that wait for a transaction that uses their table, or for a change of the table that
 * waits for one.
 */
function judgeMetadata(row: SqlRow, owns: Owns): Issue[] {
  const [sessions, longest] = [numberIn(row, 'sessions'), numberIn(row, 'longest_s')];
  if (sessions === 0 || longest <= WAIT_WARNING_S || !owns(textIn(row, 'database'), 'session'))
    return [];
  const count = sessions === 1 ? 'one session waits' : `${sessions} sessions wait`;
  return [
    {
      severity: longest > WAIT_CRITICAL_S ? 'critical' : 'warning',
      symptom: 'slow',
      kind: 'lock',
      title: `${count} for the metadata of a table`,
      detail: `The longest wait is ${seconds(longest)}. A change of a table waits for all transactions that use it, and later statements wait for the change.`,
    },
  ];
}

/** A column of `show replica status`, or of the form before it. */
const replicaText = (row: SqlRow, name: string): string =>
  textIn(row, `replica_${name}`) || textIn(row, `slave_${name}`);

function judgeReplica(row: SqlRow): Issue[] {
  const name = textIn(row, 'connection_name') || textIn(row, 'channel_name');
  const replica = `replication${name && ` ${name}`}`;
  const stopped = [
    ['its source is not read', 'io_running', 'last_io_error'] as const,
    ['what was read is not applied', 'sql_running', 'last_sql_error'] as const,
  ].filter(([, column]) => replicaText(row, column) !== 'Yes');
  const issues = stopped.map(([what, column, error]): Issue => ({
    severity: 'critical',
    symptom: 'erroring',
    kind: 'infrastructure',
    steps: 'replica',
    title: `${replica} does not run: ${what}`,
    detail: `Its state is ${replicaText(row, column) || 'unknown'}; last error: ${textIn(row, error) || 'none'}.`,
  }));
  const lag = numberIn(row, 'seconds_behind_source') || numberIn(row, 'seconds_behind_master');
  if (lag <= LAG_S) return issues;
  return [
    ...issues,
    {
      severity: 'warning',
      symptom: 'slow',
      kind: 'infrastructure',
      steps: 'replica',
      title: `${replica} is ${seconds(lag)} behind`,
      detail: `Expected at most ${LAG_S} s.`,
    },
  ];
}

/** A replica is read-only; a server that has no source is expected to take writes. */
function judgeReadOnly(isReadOnly: boolean, replicas: readonly SqlRow[] | undefined): Issue[] {
  if (!isReadOnly || replicas === undefined || replicas.length > 0) return [];
  return [
    {
      severity: 'warning',
      symptom: 'erroring',
      kind: 'config',
      title: 'refuses writes: read_only is on, although it replicates from no server',
      detail: 'Users without the privilege to ignore read_only cannot write.',
    },
  ];
}

function judgeStorage(
  { variables, status, rows }: MysqlReading,
  grown: (name: string) => number,
): Issue[] {
  const [, after] = status;
  const files = after['open_files'] ?? 0;
  const limit = Number(variables['open_files_limit']) || 0;
  const versions = Math.max(0, ...(rows.history ?? []).map((row) => numberIn(row, 'versions')));
  const pages = grown('innodb_buffer_pool_read_requests');
  const missed = percentOf(grown('innodb_buffer_pool_reads'), pages);
  const slowQueries = grown('slow_queries');
  const issues: Issue[] = [];
  if (percentOf(files, limit) > FILES_PERCENT)
    issues.push({
      severity: 'warning',
      symptom: 'saturated',
      kind: 'capacity',
      title: `${files} of ${limit} files are open`,
      detail: `Expected at most ${FILES_PERCENT} % of open_files_limit.`,
    });
  if (versions > HISTORY)
    issues.push({
      severity: 'warning',
      symptom: 'advisory',
      title: `old versions of ${versions} transactions are kept`,
      detail: `Expected at most ${HISTORY}: a transaction that has been open for long keeps them, and reads become slower.`,
    });
  if (slowQueries > 0)
    issues.push(
      note(
        `${slowQueries} slow queries ended between two readings`,
        `Each took longer than long_query_time, which is ${variables['long_query_time'] ?? 'unknown'} s.`,
      ),
    );
  if (pages >= LEAST_PAGES && missed > MISSES_PERCENT)
    issues.push(
      note(
        `${missed} % of its pages are read from the disk`,
        `Expected at most ${MISSES_PERCENT} %: the buffer pool (innodb_buffer_pool_size) may be too small.`,
      ),
    );
  return issues;
}

/** Issues of the reading itself: queries that were refused or ended by their time limit. */
function judgeReading({ refused, slow }: MysqlReading, hidden: string | undefined): Issue[] {
  const issues: Issue[] = [];
  if (slow.length > 0)
    issues.push({
      severity: 'warning',
      symptom: 'slow',
      title: `${slow.length} queries about its state were ended by their time limit`,
      detail: `${slow.join(', ')}: a server that is well answers them in milliseconds.`,
    });
  const detail = hidden ?? (refused.length > 0 ? `Not answered: ${refused.join(', ')}.` : '');
  if (detail !== '') issues.push(note('may be looked into only in part', detail));
  return issues;
}
