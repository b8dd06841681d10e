import type { Issue } from '../../domain/diagnosis/tool-result.js';
import type { SqlRow } from '../../sources/sql/sql-task.js';
import { atMost, round, showBytes, slowIssue } from '../result.js';
import { judgeConnections, judgeLocks, judgeTransactions } from '../sql/judge-sessions.js';
import { judgeStatements } from '../sql/judge-statements.js';
import type { SqlJudgement, SqlThresholds } from '../sql/sql-inspector.js';
import { numberIn, seconds, textIn, withoutValues } from '../sql/sql-values.js';
import type { Owns } from '../sql/sql-login.js';
import type { PostgresReading, PostgresQueryName } from './postgres-read.js';

const LAG_S = 5;
const GIB = 2 ** 30;
/**
 * `autovacuum_freeze_max_age` is 200 million by default; at 2^31 the server stops accepting writes.
 */
const AGE_CRITICAL = 1_500_000_000;
const AGE_NOTED = 400_000_000;

/**
 * The issues in the state of a PostgreSQL. Limits: awesome-prometheus-alerts (CC BY 4.0) if it has
 * one, otherwise the documentation of PostgreSQL.
 */
export function judgePostgres(
  reading: PostgresReading,
  { connectionsPercent, slowMs }: SqlThresholds,
  owns: Owns,
): SqlJudgement {
  const rows = (name: PostgresQueryName): readonly SqlRow[] => {
    const all = reading.rows[name] ?? [];
    return name === 'wraparound' ? all.filter((row) => owns(textIn(row, 'name'), 'server')) : all;
  };
  const rules = { owns, shown: withoutValues };
  const [server] = rows('server');
  const [connections] = rows('connections');
  const [database] = rows('database');
  const [most, used] = [numberIn(connections, 'most'), numberIn(connections, 'used')];
  const percent = most === 0 ? 0 : round((100 * used) / most);
  const loads = judgeStatements(rows('statements'), rules, slowMs);
  const locks = judgeLocks(rows('waiting'), rules);
  const clients = rows('clients').slice(0, 5);
  const isMonitor = server?.['monitor'] !== false;
  const hidden = hiddenFrom(reading, isMonitor, server?.['tracked'] !== false);
  const issues = [
    ...judgeConnections(percent, { most, used, limit: connectionsPercent }, clients),
    ...rows('limits').flatMap((row) => judgeOwnLimit(row, connectionsPercent)),
    ...locks.issues,
    ...judgeTransactions(rows('transactions'), rules),
    ...judgeReplication(rows('slots'), rows('replicas'), rows('replay')),
    ...judgeStorage(rows),
    ...(server?.['autovacuum'] === false ? [NO_AUTOVACUUM] : []),
    ...loads.issues,
    ...slowIssue('answers', reading.answerMs, slowMs, 'The first query took'),
    ...judgeReading(reading, hidden),
  ];
  return {
    measurements: {
      version: textIn(server, 'version'),
      standby: server?.['standby'] === true,
      uptime_s: round(numberIn(server, 'uptime_s')),
      answer_ms: round(reading.answerMs),
      ...(connections && {
        connections_used: used,
        connections_most: most,
        connections_percent: percent,
      }),
      ...(isMonitor && {
        active: numberIn(connections, 'active'),
        idle_in_transaction: numberIn(connections, 'idle_in_transaction'),
      }),
      clients: clients.map((row) => ({ name: textIn(row, 'name'), used: numberIn(row, 'used') })),
      ...(locks.chain.length > 0 && { lock_chain: locks.chain }),
      ...(loads.statements.length > 0 && { statements: loads.statements }),
      deadlocks: numberIn(database, 'deadlocks'),
      temp_bytes: numberIn(database, 'temp_bytes'),
      oldest_transaction_age: Math.max(0, ...rows('wraparound').map((row) => numberIn(row, 'age'))),
      queries: reading.queries,
    },
    issues,
    judged: connections ? atMost('connections_percent', percent, connectionsPercent) : [],
    ...(hidden !== undefined && { hidden }),
  };
}

/**
 * The information that is hidden from the user, and the missing right; undefined if nothing is
 * hidden.
 */
function hiddenFrom(
  { forbidden }: PostgresReading,
  isMonitor: boolean,
  isTracked: boolean,
): string | undefined {
  if (!isMonitor)
    return 'The user is no member of pg_monitor: states, statements and transactions of others are hidden, and how far replicas are behind.';
  if (!isTracked)
    return 'track_activities is off: the server does not record the states, statements and transactions of sessions.';
  if (forbidden.length === 0) return undefined;
  return `The user may not ask for: ${forbidden.join(', ')}. It lacks rights that PostgreSQL gives to all by default.`;
}

/** The limit of a role or of a database, which is reached while the server has free connections. */
function judgeOwnLimit(row: SqlRow, connectionsPercent: number): Issue[] {
  const [most, used] = [numberIn(row, 'most'), numberIn(row, 'used')];
  const percent = most === 0 ? 0 : (100 * used) / most;
  if (percent <= connectionsPercent) return [];
  return [
    {
      severity: percent >= 100 ? 'critical' : 'warning',
      symptom: 'saturated',
      kind: 'connection-pool-exhausted',
      title: `${textIn(row, 'what')} ${textIn(row, 'name')} uses ${used} of its ${most} connections`,
      detail: `Its own limit (CONNECTION LIMIT) holds, whatever max_connections allows. Expected at most ${connectionsPercent} %.`,
    },
  ];
}

function judgeReplication(
  slots: readonly SqlRow[],
  replicas: readonly SqlRow[],
  replay: readonly SqlRow[],
): Issue[] {
  const ofSlots = slots.flatMap((row): Issue[] => {
    const [name, status, retained] = [
      textIn(row, 'name'),
      textIn(row, 'status'),
      numberIn(row, 'retained'),
    ];
    if (status === 'lost' || status === 'unreserved')
      return [
        {
          severity: status === 'lost' ? 'critical' : 'warning',
          symptom: 'erroring',
          kind: 'infrastructure',
          steps: 'replication-slot',
          part: name,
          title: `replication slot ${name} is ${status}`,
          detail:
            'The write-ahead log that its replica needs is removed: the replica must be built anew.',
        },
      ];
    if (row['active'] === true || retained <= GIB) return [];
    return [
      {
        severity: 'warning',
        symptom: 'saturated',
        kind: 'disk-full',
        steps: 'replication-slot',
        part: name,
        title: `replication slot ${name} is not used and keeps ${showBytes(retained)}`,
        detail: 'The write-ahead log is kept until its replica comes back, or the disk is full.',
      },
    ];
  });
  const lags = [
    ...replicas.map((row) => ({
      name: `replica ${textIn(row, 'name')}`,
      lag: numberIn(row, 'lag_s'),
    })),
    ...replay.map((row) => ({ name: 'this standby', lag: numberIn(row, 'lag_s') })),
  ];
  const ofLag = lags
    .filter(({ lag }) => lag > LAG_S)
    .map(({ name, lag }): Issue => ({
      severity: 'warning',
      symptom: 'slow',
      title: `${name} is ${seconds(lag)} behind`,
      detail: `Expected at most ${LAG_S} s.`,
    }));
  return [...ofSlots, ...ofLag];
}

function judgeStorage(rows: (name: PostgresQueryName) => readonly SqlRow[]): Issue[] {
  const note = (title: string, detail: string, severity: Issue['severity'] = 'info'): Issue => ({
    severity,
    symptom: 'advisory',
    title,
    detail,
  });
  return [
    ...rows('wraparound').flatMap((row) => {
      const age = Math.max(numberIn(row, 'age'), numberIn(row, 'mxid_age'));
      if (age < AGE_NOTED) return [];
      const title = `database ${textIn(row, 'name')} has transactions of age ${Math.round(age / 1e6)} million that are not frozen`;
      const detail = 'At 2,147 million the server accepts no more writes; vacuum must freeze them.';
      return [note(title, detail, age > AGE_CRITICAL ? 'critical' : 'info')];
    }),
    ...rows('indexes').map((row) =>
      note(
        `index ${textIn(row, 'name')} is invalid`,
        `It costs writes to ${textIn(row, 'of')} and serves no query: CREATE INDEX CONCURRENTLY failed.`,
        'warning',
      ),
    ),
    ...rows('archiver')
      .filter((row) => row['failing'] === true)
      .map((row) =>
        note(
          'the write-ahead log cannot be archived',
          `${numberIn(row, 'failed_count')} failures, the last one of ${textIn(row, 'last_failed_wal')}.`,
          'warning',
        ),
      ),
    ...rows('tables').map((row) =>
      note(
        `table ${textIn(row, 'name')} has ${Math.round(numberIn(row, 'dead'))} dead rows`,
        `Beside ${Math.round(numberIn(row, 'live'))} live ones; last autovacuum: ${textIn(row, 'last_autovacuum') || 'never'}.`,
      ),
    ),
    ...rows('scans').map((row) =>
      note(
        `table ${textIn(row, 'name')} is read from end to end`,
        `${numberIn(row, 'seq_scan')} sequential scans, ${Math.round(numberIn(row, 'rows_a_scan'))} rows each: an index may be missing.`,
      ),
    ),
  ];
}

const NO_AUTOVACUUM: Issue = {
  severity: 'warning',
  symptom: 'advisory',
  kind: 'config',
  steps: 'autovacuum-off',
  title: 'autovacuum is off',
  detail:
    'Dead rows stay, tables and indexes grow, and transactions are frozen only when the server must. It needs autovacuum and track_counts.',
};

/** Issues of the reading itself: queries that were refused or ended by their time limit. */
function judgeReading({ refused, slow }: PostgresReading, hidden: string | undefined): Issue[] {
  const issues: Issue[] = [];
  if (slow.length > 0)
    issues.push({
      severity: 'warning',
      symptom: 'slow',
      title: `${slow.length} queries about its state were ended by their time limit`,
      detail: `${slow.join(', ')}: a server that is well answers them in milliseconds.`,
    });
  const detail = hidden ?? (refused.length > 0 ? `Not answered: ${refused.join(', ')}.` : '');
  if (detail !== '')
    issues.push({
      severity: 'info',
      symptom: 'advisory',
      title: 'may be looked into only in part',
      detail,
    });
  return issues;
}
