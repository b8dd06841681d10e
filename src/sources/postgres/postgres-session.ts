import { isIP } from 'node:net';
import { Client } from 'pg';
import type { Egress } from '../http/source-client.js';

/** What a statement may take, and what it may wait for a lock: a monitor must not queue up behind a sick server's locks. */
const STATEMENT_MS = 4_000;
const LOCK_MS = 500;
/** Rows that an answer is cut to. */
const MOST_ROWS = 200;

export interface PostgresLogin {
  host: string;
  port: number;
  database: string;
  user: string;
  password?: string;
  /** Absent: without TLS. */
  tls?: { serverName?: string; ca?: string; trustSelfSigned?: boolean };
}

type Row = Record<string, unknown>;

/** A connection that only reads. */
export interface PostgresSession {
  /** @throws DatabaseError of pg with the code of PostgreSQL; errors of the connection */
  query(text: string): Promise<Row[]>;
  /** Statements sent so far. */
  count(): number;
}

/**
 * Runs work with one connection that cannot write (`default_transaction_read_only`), whose statements end after four seconds and
 * wait half a second for a lock. `signal` closes it.
 *
 * @throws errors of name resolution, of the connection and of PostgreSQL (`code`: https://www.postgresql.org/docs/current/errcodes-appendix.html)
 */
export async function withPostgres<Result>(
  { host, port, database, user, password, tls }: PostgresLogin,
  { egress, signal, timeoutMs }: { egress: Egress; signal: AbortSignal; timeoutMs: number },
  work: (session: PostgresSession) => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  const [address] = await egress.resolve({ host, port });
  if (address === undefined) throw new Error(`${host} has no address`);
  signal.throwIfAborted();
  const serverName = tls?.serverName ?? host;
  const client = new Client({
    ...{ host: address.address, port, database, user, application_name: 'consilium' },
    // pg asks the environment for a password that is absent.
    password: password ?? '',
    ssl: tls && {
      rejectUnauthorized: tls.trustSelfSigned !== true,
      ...(isIP(serverName) === 0 && { servername: serverName }),
      ...(tls.ca !== undefined && { ca: tls.ca }),
    },
    connectionTimeoutMillis: timeoutMs,
    statement_timeout: STATEMENT_MS,
    lock_timeout: LOCK_MS,
    options: '-c default_transaction_read_only=on',
  });
  client.on('error', () => undefined); // Errors between statements, such as a restart of the server.
  let sent = 0;
  const close = () => void client.end().catch(() => undefined);
  signal.addEventListener('abort', close, { once: true });
  try {
    await client.connect();
    return await work({
      query: async (text) => {
        sent += 1;
        const { rows } = await client.query<Row>(text);
        return rows.slice(0, MOST_ROWS);
      },
      count: () => sent,
    });
  } finally {
    signal.removeEventListener('abort', close);
    await client.end().catch(() => undefined);
  }
}
