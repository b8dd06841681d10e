import type { SqlLogin } from '../sql/sql-task.js';
import { NOT_POSTGRES } from '../sql/sql-task.js';
import { type SqlReach, type SqlSession, withSql } from '../sql/sql-session.js';

const PROGRAM = {
  url: new URL('./postgres-thread.js', import.meta.url),
  wrongPeer: NOT_POSTGRES,
};

/**
 * A session with a PostgreSQL, read-only by `default_transaction_read_only`. Codes:
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
export const withPostgres = <Result>(
  login: SqlLogin,
  reach: SqlReach,
  work: (session: SqlSession) => Promise<Result>,
): Promise<Result> => withSql(PROGRAM, login, reach, work);
