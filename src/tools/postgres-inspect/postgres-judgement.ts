import type { JsonObject } from '../../lib/json.js';
import type { Issue } from '../../domain/diagnosis/tool-result.js';
import { atMost, type Judged, round, showBytes, slowIssue } from '../result.js';
import { lockSessionIn, rootBlockers, withoutValues } from './lock-chain.js';
import type { PostgresReading, PostgresRow, QueryName } from './postgres-read.js';

export interface PostgresThresholds {
  /** Percent of the connections that clients may have. */
  connectionsPercent: number;
  slowMs: number;
}

const WAIT_WARNING_S = 5;
const WAIT_CRITICAL_S = 30;
const IDLE_S = 60;
const LONG_S = 120;
const LAG_S = 5;
const GIB = 2 ** 30;
/** Clients that are named. */
const MOST_CLIENTS = 5;
/** `autovacuum_freeze_max_age` is 200 million by default; at 2^31 the server stops to accept writes. */
const AGE_CRITICAL = 1_500_000_000;
const AGE_NOTED = 400_000_000;

interface Judgement {
  measurements: JsonObject;
  issues: Issue[];
  judged: Judged[];
}

const number = (row: PostgresRow | undefined, name: string): number => {
  const value = row?.[name];
  return typeof value === 'number' ? value : 0;
};
const text = (row: PostgresRow | undefined, name: string): string => {
  const value = row?.[name];
  return typeof value === 'string' ? value.slice(0, 200) : '';
};
const seconds = (value: number): string => `${Math.round(value)} s`;

/**
 * What the state of a PostgreSQL means. Limits: awesome-prometheus-alerts (CC BY 4.0) where it has one, else the documentation of
 * PostgreSQL.
 * @param owns whether sessions of a database are the node's
 */
export function judgePostgres(
  reading: PostgresReading,
  { connectionsPercent, slowMs }: PostgresThresholds,
  owns: (database: string) => boolean,
): Judgement {
  const rows = (name: QueryName): readonly PostgresRow[] => {
    const all = reading.rows[name] ?? [];
    if (name === 'transactions') return all.filter((row) => owns(text(row, 'database')));
    return name === 'wraparound' ? all.filter((row) => owns(text(row, 'name'))) : all;
  };
  const [server] = rows('server');
  const [connections] = rows('connections');
  const [database] = rows('database');
  const [most, used] = [number(connections, 'most'), number(connections, 'used')];
  const percent = most === 0 ? 0 : round((100 * used) / most);
  const locks = judgeLocks(rows('waiting'), owns);
  const clients = rows('clients').slice(0, MOST_CLIENTS);
  const issues = [
    ...judgeConnections(percent, { most, used, limit: connectionsPercent }, clients),
    ...locks.issues,
    ...judgeTransactions(rows('transactions')),
    ...judgeReplication(rows('slots'), rows('replicas'), rows('replay')),
    ...judgeStorage(rows),
    ...slowIssue('answers', reading.answerMs, slowMs, 'The first query took'),
    ...judgeReading(reading, server?.['monitor'] !== false),
  ];
  return {
    measurements: {
      version: text(server, 'version'),
      standby: server?.['standby'] === true,
      uptime_s: round(number(server, 'uptime_s')),
      answer_ms: round(reading.answerMs),
      connections_used: used,
      connections_most: most,
      connections_percent: percent,
      active: number(connections, 'active'),
      idle_in_transaction: number(connections, 'idle_in_transaction'),
      clients: clients.map((row) => ({ name: text(row, 'name'), used: number(row, 'used') })),
      ...(locks.chain.length > 0 && { lock_chain: locks.chain }),
      deadlocks: number(database, 'deadlocks'),
      temp_bytes: number(database, 'temp_bytes'),
      oldest_transaction_age: Math.max(0, ...rows('wraparound').map((row) => number(row, 'age'))),
      queries: reading.queries,
    },
    issues,
    judged: atMost('connections_percent', percent, connectionsPercent),
  };
}

function judgeConnections(
  percent: number,
  { most, used, limit }: { most: number; used: number; limit: number },
  clients: readonly PostgresRow[],
): Issue[] {
  if (percent <= limit) return [];
  const holders = clients.map((row) => `${text(row, 'name')} ${number(row, 'used')}`).join(', ');
  return [
    {
      severity: percent >= 100 ? 'critical' : 'warning',
      symptom: 'saturated',
      kind: 'connection-pool-exhausted',
      title: `${used} of ${most} connections are in use`,
      detail: `Expected at most ${limit} %. Most are held by: ${holders}.`,
    },
  ];
}

function judgeLocks(
  rows: readonly PostgresRow[],
  owns: (database: string) => boolean,
): { issues: Issue[]; chain: JsonObject[] } {
  // Where sessions wait, since a lock of a shared object may be held from another database.
  const roots = rootBlockers(rows.map(lockSessionIn)).filter(({ waiting }) =>
    owns(waiting[0]?.database ?? ''),
  );
  const issues = roots.flatMap(({ session, waiting }): Issue[] => {
    const longest = waiting[0]?.waited ?? 0;
    if (longest <= WAIT_WARNING_S) return [];
    const count = waiting.length === 1 ? 'one session waits' : `${waiting.length} sessions wait`;
    return [
      {
        severity: longest > WAIT_CRITICAL_S ? 'critical' : 'warning',
        symptom: 'slow',
        kind: 'lock',
        title: `${count} for locks of one that is ${session.state || 'busy'}`,
        detail: `Session ${session.pid} (${session.application || 'unnamed'}) is ${session.state}, its transaction began ${seconds(session.transaction)} ago; its last statement: ${session.query}. The longest wait is ${seconds(longest)}.`,
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
  return { issues, chain };
}

function judgeTransactions(rows: readonly PostgresRow[]): Issue[] {
  return rows.slice(0, 5).flatMap((row): Issue[] => {
    const [age, idle] = [number(row, 'xact_s'), number(row, 'state_s')];
    const isIdle = text(row, 'state').startsWith('idle in transaction');
    if (isIdle ? idle <= IDLE_S : age <= LONG_S) return [];
    const who = text(row, 'application') || 'a client';
    return [
      {
        severity: 'warning',
        symptom: 'slow',
        ...(isIdle && { kind: 'lock' as const }),
        title: isIdle
          ? `${who} has been idle in a transaction for ${seconds(idle)}`
          : `a transaction of ${who} has run for ${seconds(age)}`,
        detail: `It keeps its locks, and vacuum from removing dead rows. Its statement: ${withoutValues(text(row, 'query'))}.`,
      },
    ];
  });
}

function judgeReplication(
  slots: readonly PostgresRow[],
  replicas: readonly PostgresRow[],
  replay: readonly PostgresRow[],
): Issue[] {
  const ofSlots = slots.flatMap((row): Issue[] => {
    const [name, status, retained] = [
      text(row, 'name'),
      text(row, 'status'),
      number(row, 'retained'),
    ];
    if (status === 'lost' || status === 'unreserved')
      return [
        {
          severity: status === 'lost' ? 'critical' : 'warning',
          symptom: 'erroring',
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
        title: `replication slot ${name} is not used and keeps ${showBytes(retained)}`,
        detail: 'The write-ahead log is kept until its replica comes back, or the disk is full.',
      },
    ];
  });
  const lags = [
    ...replicas.map((row) => ({ name: `replica ${text(row, 'name')}`, lag: number(row, 'lag_s') })),
    ...replay.map((row) => ({ name: 'this standby', lag: number(row, 'lag_s') })),
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

function judgeStorage(rows: (name: QueryName) => readonly PostgresRow[]): Issue[] {
  const note = (title: string, detail: string, severity: Issue['severity'] = 'info'): Issue => ({
    ...{ severity, symptom: 'advisory', title, detail },
  });
  return [
    ...rows('wraparound').flatMap((row) => {
      const age = Math.max(number(row, 'age'), number(row, 'mxid_age'));
      if (age < AGE_NOTED) return [];
      const title = `database ${text(row, 'name')} has transactions of age ${Math.round(age / 1e6)} million that are not frozen`;
      const detail = 'At 2,147 million the server accepts no more writes; vacuum must freeze them.';
      return [note(title, detail, age > AGE_CRITICAL ? 'critical' : 'info')];
    }),
    ...rows('indexes').map((row) =>
      note(
        `index ${text(row, 'name')} is invalid`,
        `It costs writes to ${text(row, 'of')} and serves no query: CREATE INDEX CONCURRENTLY failed.`,
        'warning',
      ),
    ),
    ...rows('archiver')
      .filter((row) => row['failing'] === true)
      .map((row) =>
        note(
          'the write-ahead log cannot be archived',
          `${number(row, 'failed_count')} failures, the last one of ${text(row, 'last_failed_wal')}.`,
          'warning',
        ),
      ),
    ...rows('tables').map((row) =>
      note(
        `table ${text(row, 'name')} has ${Math.round(number(row, 'dead'))} dead rows`,
        `Beside ${Math.round(number(row, 'live'))} live ones; last autovacuum: ${text(row, 'last_autovacuum') || 'never'}.`,
      ),
    ),
    ...rows('scans').map((row) =>
      note(
        `table ${text(row, 'name')} is read from end to end`,
        `${number(row, 'seq_scan')} sequential scans, ${Math.round(number(row, 'rows_a_scan'))} rows each: an index may be missing.`,
      ),
    ),
  ];
}

/** What the reading itself says: queries that were refused or ended by their time limit. */
function judgeReading({ refused, slow }: PostgresReading, isMonitor: boolean): Issue[] {
  const issues: Issue[] = [];
  if (slow.length > 0)
    issues.push({
      severity: 'warning',
      symptom: 'slow',
      title: `${slow.length} queries about its state were ended by their time limit`,
      detail: `${slow.join(', ')}: a server that is well answers them in milliseconds.`,
    });
  if (refused.length > 0 || !isMonitor)
    issues.push({
      severity: 'info',
      symptom: 'advisory',
      title: 'may be looked into only in part',
      detail: isMonitor
        ? `Not answered: ${refused.join(', ')}.`
        : 'The user is no member of pg_monitor: statements and states of others are hidden.',
    });
  return issues;
}
