import { NOT_MYSQL, type SqlLogin } from '../sql/sql-task.js';
import { type SqlReach, type SqlSession, withSql } from '../sql/sql-session.js';

const PROGRAM = { url: new URL('./mysql-thread.js', import.meta.url), wrongPeer: NOT_MYSQL };

/**
 * A session with a MySQL or MariaDB, read-only by `set session transaction read only`. Codes are
 * the numbers of its errors:
 * https://dev.mysql.com/doc/mysql-errors/8.4/en/server-error-reference.html
 */
export const withMysql = <Result>(
  login: SqlLogin,
  reach: SqlReach,
  work: (session: SqlSession) => Promise<Result>,
): Promise<Result> => withSql(PROGRAM, login, reach, work);
