import { readSecret } from '../../config/secrets.js';
import { SourceError } from '../http/source-error.js';
import { LACKS_PRIVILEGE, refusesMysqlUser } from '../mysql/mysql-codes.js';
import { withMysql } from '../mysql/mysql-session.js';
import { withPostgres } from '../postgres/postgres-session.js';
import type { SqlSession } from '../sql/sql-session.js';
import {
  NO_ANSWER,
  NO_CONNECTION,
  NO_PASSWORD,
  NO_TLS,
  SQL_DEFAULTS,
  type SqlKind,
} from '../sql/sql-task.js';
import { tlsOf } from './server-access.js';
import type { SourceReach } from './source-reach.js';
import type { ListedSql } from './sources-file.js';

const CONNECT_MS = 5_000;

/** Signs in to a listed database server. @returns what its user may not see */
export async function askSql(
  server: ListedSql,
  { egress, secretOf }: SourceReach,
  signal: AbortSignal,
): Promise<string> {
  const { kind, endpoint, auth } = server;
  const { hostname, port, pathname } = new URL(endpoint);
  const usual = SQL_DEFAULTS[kind];
  const tls = await tlsOf(server, secretOf);
  const login = {
    host: hostname,
    port: Number(port) || usual.port,
    user: auth?.user ?? usual.user,
    database: pathname.slice(1) || usual.database,
    ...(auth && { password: await readSecret(auth.password, secretOf) }),
    ...(tls && { tls }),
  };
  const leave = await egress.enter(login, signal);
  const reach = { egress, signal, timeoutMs: CONNECT_MS };
  try {
    return kind === 'postgres'
      ? await withPostgres(login, reach, postgresHides)
      : await withMysql({ ...login, database: '' }, reach, mysqlHides);
  } catch (cause) {
    signal.throwIfAborted();
    const { code = '', message } = cause as { code?: string; message: string };
    const silent = SILENT[code];
    // Errors of the network have codes in capitals that begin with E; a server without TLS answers.
    const failure = REFUSES[kind](code)
      ? 'refused'
      : silent !== undefined || (code.startsWith('E') && code !== NO_TLS)
        ? 'unreachable'
        : 'failed';
    const where = `${login.host}:${login.port}`;
    throw new SourceError(failure, `${where}: ${silent?.(kind) ?? message}`, { cause });
  } finally {
    await leave();
  }
}

/** The state of a server that has not admitted a client by the end of the time. */
const SILENT: Readonly<Record<string, (kind: SqlKind) => string>> = {
  [NO_CONNECTION]: () => `no connection within ${CONNECT_MS} ms`,
  [NO_ANSWER]: (kind) => `no answer of a ${kind} server within ${CONNECT_MS} ms`,
};

const REFUSES: Readonly<Record<SqlKind, (code: string) => boolean>> = {
  // SQLSTATE class 28: invalid authorization.
  postgres: (code) => code.startsWith('28') || code === NO_PASSWORD,
  mysql: refusesMysqlUser,
};

async function postgresHides(session: SqlSession): Promise<string> {
  const text = `select pg_has_role(current_user, 'pg_read_all_stats', 'usage') as monitor`;
  const [row] = await session.query(text);
  return row?.['monitor'] === true
    ? ''
    : 'The user is no member of pg_monitor: statements and states of others are hidden.';
}

async function mysqlHides(session: SqlSession): Promise<string> {
  const asked = session.query('select count(*) as n from information_schema.innodb_trx');
  return asked.then(
    () => '',
    (error: unknown) => {
      if ((error as { code?: unknown }).code !== LACKS_PRIVILEGE) throw error;
      return 'The user lacks the privilege PROCESS: sessions and locks of others are hidden.';
    },
  );
}
