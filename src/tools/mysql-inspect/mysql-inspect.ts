import { refusesMysqlUser } from '../../sources/mysql/mysql-codes.js';
import { withMysql } from '../../sources/mysql/mysql-session.js';
import { UNSAFE_PASSWORD } from '../../sources/sql/sql-task.js';
import { sqlInspector } from '../sql/sql-inspector.js';
import { judgeMysql } from './mysql-judgement.js';
import { readMysql } from './mysql-read.js';
import { MYSQL_REFUSALS } from './refusals.js';

/** The state of a MySQL or MariaDB. */
export const mysqlInspect = sqlInspector({
  kind: 'mysql',
  protocols: ['mysql:', 'mariadb:'],
  tool: 'mysql_inspect',
  product: 'MySQL',
  // Signs in without a database: its user needs no right to any. The node's database only selects
  // the sessions of the node.
  connect: (login, reach, work) => withMysql({ ...login, database: '' }, reach, work),
  read: readMysql,
  judge: judgeMysql,
  refusals: MYSQL_REFUSALS,
  refusesCredential: (code) => refusesMysqlUser(code) || code === UNSAFE_PASSWORD,
});
