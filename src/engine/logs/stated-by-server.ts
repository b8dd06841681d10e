import type { Observations } from '../observations.js';

/**
 * Messages that only a server can state, and that a client repeats in its own log: it has no room
 * for another client, for more data or for a write. Texts from the sources of PostgreSQL (SQLSTATE
 * of class 53), MySQL and MariaDB, Redis and Valkey, MongoDB and RabbitMQ.
 */
const STATEMENTS: readonly { server: RegExp; pattern: RegExp }[] = [
  {
    server: /postgres|\bpg\b|timescale|cockroach|pgbouncer/i,
    pattern:
      /sorry, too many clients already|remaining connection slots are reserved|too many connections for (role|database)|SQLSTATE[ =:]*53\d{3}|could not extend file|database is not accepting commands|no more connections allowed \(max_client_conn\)/i,
  },
  {
    server: /mysql|maria|aurora|percona/i,
    pattern:
      /ERROR 1040|\b08004\b|Too many connections|ER_CON_COUNT_ERROR|ER_TOO_MANY_USER_CONNECTIONS|the table '.{1,80}' is full/i,
  },
  {
    server: /redis|valkey|keydb|elasticache|cache/i,
    pattern:
      /ERR max number of clients reached|OOM command not allowed|MISCONF Redis|LOADING (Redis|Valkey) is loading|READONLY You can't write against a read only/i,
  },
  {
    server: /mongo/i,
    pattern: /connection refused because too many open connections|NotWritablePrimary/i,
  },
  { server: /rabbit|amqp/i, pattern: /connection\.blocked|low on (memory|disk)|RESOURCE_ERROR/ },
];

/**
 * The node that states what a line of a client repeats: the only one of that kind among the
 * client's direct callees, otherwise among all below it.
 */
export function statedBy(
  speaker: string | undefined,
  line: string,
  nodes: Observations['nodes'],
): string | undefined {
  const statement = STATEMENTS.find(({ pattern }) => pattern.test(line));
  const known = nodes.find(({ id }) => id === speaker);
  if (statement === undefined || known === undefined) return undefined;
  const isServer = ({ id, name, kind = '' }: Observations['nodes'][number]) =>
    statement.server.test(`${kind} ${name} ${id}`);
  // A server also logs what it refuses.
  if (isServer(known)) return undefined;
  const called = nodes.filter(({ id }) => known.dependsOn.includes(id));
  const servers = called.filter(isServer);
  const [only, another] = servers.length > 0 ? servers : called;
  return another === undefined ? only?.id : undefined;
}
