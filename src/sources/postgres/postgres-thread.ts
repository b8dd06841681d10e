/**
 * Program of the thread of {@link withPostgres}: signs in, and answers each text that it receives
 * with the rows of that query. Only this thread parses data of the server.
 */
import { isIP, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { workerData } from 'node:worker_threads';
import { Client, DatabaseError } from 'pg';
import { amongAddresses } from '../../lib/http/among-addresses.js';
import { serveQueries } from '../sql/serve-queries.js';
import {
  LOCK_MS,
  MOST_BYTES,
  NO_ANSWER,
  NO_CONNECTION,
  NO_PASSWORD,
  NO_TLS,
  NOT_POSTGRES,
  type SqlRow,
  type SqlTask,
  STATEMENT_MS,
  UNSAFE_PASSWORD,
  USER_LIMIT,
} from '../sql/sql-task.js';

/**
 * First bytes of what a server may send: a message before the sign-in, and the answer to a request
 * for TLS. https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-START-UP
 */
const MESSAGES = 'RENv';
const TLS_ANSWERS = 'SNE';
/** Type and length of a message. */
const HEAD = 5;
/** Of pg, for SCRAM with an empty password. */
const WITHOUT_PASSWORD = /^SASL: [\w-]+: client password must be /;
/**
 * A sign-in that violates RFC 5802, in the words of pg: not one that costs too much or is refused.
 */
const WRONG_SCRAM = /^SASL: (?!.*(Only mechanism|scramMaxIterations|server returned error))/;
/**
 * Five digits and letters (https://www.postgresql.org/docs/current/errcodes-appendix.html). No
 * class begins with E, as codes of the system do.
 */
const SQLSTATE = /^[0-9A-DF-Z][0-9A-Z]{4}$/;

const { addresses, host, port, database, user, password, tls, timeoutMs } = workerData as SqlTask;
const serverName = tls?.serverName ?? host;
const isVerified = tls !== undefined && tls.trustSelfSigned !== true;

/** Connects to the checked addresses, whatever name pg uses. */
class CheckedSocket extends Socket {
  override connect(): this {
    return super.connect({ host, port, ...amongAddresses(host, addresses) });
  }
}

const client = new Client({
  // An address: pg would take a name for that of the certificate.
  host: addresses[0]?.address ?? host,
  port,
  database,
  user,
  application_name: 'consilium',
  // pg asks the environment for a password that is absent.
  password: password ?? '',
  ssl: tls && {
    rejectUnauthorized: isVerified,
    ...(isIP(serverName) === 0 && { servername: serverName }),
    ...(tls.ca !== undefined && { ca: tls.ca }),
  },
  stream: () => watched(new CheckedSocket(), tls ? TLS_ANSWERS : MESSAGES),
  connectionTimeoutMillis: timeoutMs,
  statement_timeout: STATEMENT_MS,
  lock_timeout: LOCK_MS,
  options: '-c default_transaction_read_only=on',
});
const { connection } = client;
let isConnected = false;
connection.once('connect', () => (isConnected = true));
connection.once('sslconnect', () => watched(connection.stream, MESSAGES));
client.on('error', () => undefined); // Errors between statements, such as a restart of the server.

// pg answers a request for a cleartext or MD5 password by this method, at any time, and SCRAM by
// others.
if (!isVerified)
  Object.assign(connection, {
    password: () =>
      close(
        UNSAFE_PASSWORD,
        'it asks for a password in clear or as MD5, without TLS with a verified certificate',
      ),
  });

let read = 0;
/**
 * Ends a stream that sends too much, or whose first message is not one of a PostgreSQL: pg would
 * wait for the end of it. The error of a server that is out of processes has no length.
 */
function watched<Stream extends Duplex>(stream: Stream, allowed: string): Stream {
  stream.once('data', (bytes: Buffer) => {
    const type = bytes.toString('latin1', 0, 1);
    const length = type === 'E' || bytes.length < HEAD ? 0 : bytes.readUInt32BE(1);
    if (!allowed.includes(type) || length > MOST_BYTES)
      close(NOT_POSTGRES, 'it begins with no message of a PostgreSQL');
  });
  return stream.on('data', (bytes: Buffer) => {
    read += bytes.length;
    if (read > MOST_BYTES) close(NOT_POSTGRES, `it sent more than ${MOST_BYTES} bytes`);
  });
}

/**
 * Of PostgreSQL: it refuses connections, and the function that does so because of the limit of a
 * role. The message may be translated.
 */
const TOO_MANY = '53300';
const OF_ROLE = 'InitializeSessionUserId';

/** Of pg, which gives no code: the answer of a server that is compiled or set up without TLS. */
const WITHOUT_TLS = 'The server does not support SSL connections';

/** Why this end has closed the connection. */
let closed: Error | undefined;

/** Of the outermost stream: Node 20 crashes if the connection below TLS is destroyed first. */
function close(code: string, message: string) {
  closed ??= Object.assign(new Error(message), { code });
  connection.stream.destroy(closed);
}

function failureOf(error: unknown) {
  // If this end has closed the connection, pg may have an error of its own.
  const cause = closed ?? error;
  const { message, code, reason } = cause as Partial<Record<string, unknown>>;
  const state = typeof code === 'string' ? code : '';
  // The code comes from the server: it must not be mistaken for an error of the connection, or of
  // this process.
  if (cause instanceof DatabaseError && !SQLSTATE.test(state))
    return { message, code: NOT_POSTGRES, reason };
  if (cause instanceof DatabaseError && state === TOO_MANY && cause.routine === OF_ROLE)
    return { message, code: USER_LIMIT, reason };
  if (state !== '') return { message, code, reason };
  if (WITHOUT_PASSWORD.test(String(message)))
    return { message: 'it asks for a password, and there is none', code: NO_PASSWORD, reason };
  if (WRONG_SCRAM.test(String(message))) return { message, code: NOT_POSTGRES, reason };
  // pg does not check the order of messages.
  if (cause instanceof TypeError || cause instanceof RangeError)
    return { message: 'its messages are against the protocol', code: NOT_POSTGRES, reason };
  if (message === WITHOUT_TLS) return { message, code: NO_TLS, reason };
  // pg's own time limit of the sign-in has no code.
  if (message === 'timeout expired')
    return { message, code: isConnected ? NO_ANSWER : NO_CONNECTION, reason };
  return { message, code, reason };
}

serveQueries({
  connect: async () => void (await client.connect()),
  query: async (text) => (await client.query<SqlRow>(text)).rows,
  end: () =>
    new Promise((resolve) => {
      connection.stream.once('finish', resolve);
      connection.end();
    }),
  failureOf,
});
