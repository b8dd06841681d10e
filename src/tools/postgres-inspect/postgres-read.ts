import type { SqlSession } from '../../sources/sql/sql-session.js';
import type { SqlRow } from '../../sources/sql/sql-task.js';
import { codeOf } from '../net/network-error.js';
import { textIn } from '../sql/sql-values.js';

/**
 * The queries, by name. A user who may not see sessions of others sees neither their state nor
 * their `backend_type`. No statement counts the rows of a table or waits for one: the server may be
 * faulty. Columns as of PostgreSQL 12 and later.
 */
export const QUERIES = {
  server: `select current_setting('server_version') as version, pg_is_in_recovery() as standby,
    extract(epoch from now() - pg_postmaster_start_time())::float8 as uptime_s,
    pg_has_role(current_user, 'pg_read_all_stats', 'usage') as monitor,
    current_setting('track_activities')::bool as tracked,
    current_setting('autovacuum')::bool and current_setting('track_counts')::bool as autovacuum,
    (select quote_ident(nspname) from pg_extension join pg_namespace n on n.oid = extnamespace
      where extname = 'pg_stat_statements') as statements`,
  connections: `select current_setting('max_connections')::int
      - current_setting('superuser_reserved_connections')::int
      - coalesce(current_setting('reserved_connections', true), '0')::int as most,
    count(*) filter (where backend_type = 'client backend' or backend_type is null and datid is not null)::int as used,
    count(*) filter (where state = 'active' and backend_type = 'client backend')::int as active,
    count(*) filter (where state like 'idle in transaction%')::int as idle_in_transaction
    from pg_stat_activity`,
  clients: `select coalesce(nullif(application_name, ''), usename, '?') as name, count(*)::int as used
    from pg_stat_activity where backend_type = 'client backend' or backend_type is null and datid is not null group by 1 order by 2 desc limit 5`,
  // Limits of their own, which clients meet before that of the server.
  limits: `select 'role' as what, usesysid as id, rolname as name, rolconnlimit as most, count(*)::int as used
      from pg_stat_activity join pg_roles r on r.oid = usesysid
      where rolconnlimit > 0 and rolname <> current_user group by 2, 3, 4
    union all select 'database', datid, d.datname, datconnlimit, count(*)::int
      from pg_stat_activity join pg_database d on d.oid = datid where datconnlimit > 0 group by 2, 3, 4 limit 20`,
  // PostgreSQL 14 and later say in pg_locks since when a session waits, also to a user who sees no
  // state of others.
  waiting: `with waits as materialized (
      select pid, min((to_jsonb(l) ->> 'waitstart')::timestamptz) as since from pg_locks l where not granted group by pid),
    blocked as materialized (select pid, since, pg_blocking_pids(pid) as blockers from waits)
    select pid, coalesce(blockers, '{}') as blockers, state,
    extract(epoch from clock_timestamp() - coalesce(state_change, query_start, since))::float8 as waited_s,
    extract(epoch from clock_timestamp() - xact_start)::float8 as xact_s,
    application_name as application, datname as database, left(query, 200) as query
    from pg_stat_activity left join blocked using (pid)
    where cardinality(blockers) > 0 or pid in (select unnest(blockers) from blocked)
    limit 100`,
  transactions: `select pid, state, application_name as application, datname as database, left(query, 200) as query,
    extract(epoch from clock_timestamp() - xact_start)::float8 as xact_s,
    extract(epoch from clock_timestamp() - state_change)::float8 as state_s
    from pg_stat_activity
    where backend_type = 'client backend' and xact_start is not null and pid <> pg_backend_pid()
      and xact_start < clock_timestamp() - interval '60 seconds'
    order by xact_start limit 20`,
  wraparound: `select datname as name, age(datfrozenxid)::int as age, mxid_age(datminmxid)::int as mxid_age
    from pg_database order by greatest(age(datfrozenxid), mxid_age(datminmxid)) desc limit 3`,
  database: `select deadlocks::float8, temp_bytes::float8, xact_commit::float8, xact_rollback::float8,
    blks_hit::float8, blks_read::float8
    from pg_stat_database where datname = current_database()`,
  tables: `select schemaname || '.' || relname as name, n_live_tup::float8 as live, n_dead_tup::float8 as dead,
    last_autovacuum::text from pg_stat_user_tables
    where n_dead_tup > 10000 and n_dead_tup > 0.1 * (n_live_tup + n_dead_tup)
    order by n_dead_tup desc limit 5`,
  scans: `select schemaname || '.' || relname as name, seq_scan::float8, (seq_tup_read / seq_scan)::float8 as rows_a_scan
    from pg_stat_user_tables where seq_scan > 50 and seq_tup_read / seq_scan > 10000
    order by seq_tup_read desc limit 5`,
  indexes: `select indexrelid::regclass::text as name, indrelid::regclass::text as of
    from pg_index where not indisvalid limit 10`,
  slots: `select slot_name as name, active, wal_status as status,
    pg_wal_lsn_diff(case when pg_is_in_recovery() then pg_last_wal_receive_lsn() else pg_current_wal_lsn() end,
      restart_lsn)::float8 as retained from pg_replication_slots limit 50`,
  replicas: `select coalesce(nullif(application_name, ''), client_addr::text) as name, state,
    extract(epoch from replay_lag)::float8 as lag_s from pg_stat_replication limit 50`,
  replay: `select case when pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() then 0
    else extract(epoch from now() - pg_last_xact_replay_timestamp()) end::float8 as lag_s
    where pg_is_in_recovery()`,
  archiver: `select failed_count::float8, last_failed_wal, (last_failed_time > coalesce(last_archived_time, '-infinity')) as failing
    from pg_stat_archiver`,
} as const;

/**
 * The statements that took most time since the statistics began, of PostgreSQL 13 and later. Only
 * those that read or change rows: the others may have passwords in them, and their literals are not
 * removed by the server.
 * @param schema of the extension pg_stat_statements, quoted
 */
const statementsQuery = (schema: string): string =>
  `select datname as database, left(query, 500) as query, calls::float8, mean_exec_time::float8 as mean_ms,
    total_exec_time::float8 / 1000 as total_s, share::float8
    from (select *, total_exec_time / nullif(sum(total_exec_time) over (), 0) as share from ${schema}.pg_stat_statements) s
    join pg_database d on d.oid = s.dbid
    where query ~* '^\\s*(select|insert|update|delete|merge|with)\\M'
      and userid <> (select oid from pg_roles where rolname = current_user)
    order by total_exec_time desc limit 20`;

export type PostgresQueryName = keyof typeof QUERIES | 'statements';

/** The state that a PostgreSQL reports: rows by the name of the query. */
export interface PostgresReading {
  rows: Partial<Record<PostgresQueryName, readonly SqlRow[]>>;
  /**
   * Queries that the user may not make, that this version does not support, and that took too long.
   */
  forbidden: PostgresQueryName[];
  refused: PostgresQueryName[];
  slow: PostgresQueryName[];
  /** ms of the first one. */
  answerMs: number;
  queries: number;
}

const FORBIDDEN = '42501';
const REFUSALS = new Set(['42P01', '42703', '42883', '42704', '0A000', '55000']);
/** Canceled by the statement timeout; a lock that was not had in time. */
const SLOW = new Set(['57014', '55P03']);

const cleanRow = (row: SqlRow, clean: (text: string) => string): SqlRow =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'string' ? clean(value) : value,
    ]),
  );

/**
 * Runs all queries, one after the other. A refused or slow one does not prevent the others.
 * @param clean makes a text of the server fit for a result
 * @throws errors of the connection
 */
export async function readPostgres(
  session: SqlSession,
  { clean }: { clean: (text: string) => string },
  clock = () => performance.now(),
): Promise<PostgresReading> {
  const reading: PostgresReading = {
    rows: {},
    forbidden: [],
    refused: [],
    slow: [],
    answerMs: 0,
    queries: 0,
  };
  const ask = async (text: string) =>
    (await session.query(text)).map((row) => cleanRow(row, clean));
  const started = clock();
  for (const [name, text] of Object.entries(QUERIES) as [keyof typeof QUERIES, string][]) {
    try {
      reading.rows[name] = await ask(text);
    } catch (error) {
      const code = codeOf(error);
      if (code === FORBIDDEN) reading.forbidden.push(name);
      else if (REFUSALS.has(code)) reading.refused.push(name);
      else if (SLOW.has(code)) reading.slow.push(name);
      else throw error;
    }
    if (reading.answerMs === 0) reading.answerMs = clock() - started;
  }
  const schema = textIn(reading.rows.server?.[0], 'statements');
  if (schema !== '') reading.rows.statements = await ask(statementsQuery(schema)).catch(unlessLost);
  reading.queries = session.count();
  return reading;
}

/** Missing statistics, such as those of an extension that is not loaded, are no sign of a fault. */
function unlessLost(error: unknown): SqlRow[] {
  const code = codeOf(error);
  if (code === FORBIDDEN || REFUSALS.has(code) || SLOW.has(code)) return [];
  throw error;
}
