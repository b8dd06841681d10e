/**
 * Program of the thread of `withMysql`: signs in, and answers each text that it receives with the
 * rows of that query. Only this thread parses data of the server.
 */
import { workerData } from 'node:worker_threads';
import { authPlugins, type ConnectionOptions, createConnection, type RowDataPacket } from 'mysql2';
import { serveQueries } from '../sql/serve-queries.js';
import {
  LOCK_MS,
  MOST_BYTES,
  NO_ANSWER,
  NO_CONNECTION,
  NOT_MYSQL,
  NO_TLS,
  type SqlTask,
  STATEMENT_MS,
  UNSAFE_PASSWORD,
  UNSUPPORTED_SIGN_IN,
  USER_LIMIT,
} from '../sql/sql-task.js';
import { WatchedSocket } from './watched-socket.js';

/**
 * Version of the protocol of a greeting, and the mark of an error:
 * https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_connection_phase.html
 */
const GREETING = 0x0a;
const ERROR = 0xff;
/**
 * Asks for the password itself:
 * https://dev.mysql.com/doc/dev/mysql-server/latest/page_caching_sha2_authentication_exchanges.html
 */
const FULL_AUTHENTICATION = Buffer.from([4]);
const UNKNOWN_VARIABLE = 1193;

const { addresses, host, port, database, user, password, tls, timeoutMs } = workerData as SqlTask;
const isVerified = tls !== undefined && tls.trustSelfSigned !== true;
const serverName = tls?.serverName ?? host;

/** Why this end has closed the connection. */
let closed: Error | undefined;
let isConnected = false;

const failure = (code: string, message: string) => {
  closed ??= Object.assign(new Error(message), { code });
  return closed;
};
const stream = new WatchedSocket(
  { host, port, name: serverName, addresses },
  {
    // The length of the first message, which is its number 0.
    isKnown: (head) =>
      head.readUIntLE(0, 3) < MOST_BYTES &&
      head[3] === 0 &&
      [GREETING, ERROR].includes(head[4] ?? 0),
    most: MOST_BYTES,
    wrong: (why) => failure(NOT_MYSQL, why),
  },
);
stream.once('connect', () => (isConnected = true));

/**
 * Does not answer a request for the password itself: others could read it, or the holder of the key
 * that the server has sent.
 */
const refuse = () => {
  throw failure(
    UNSAFE_PASSWORD,
    'it asks for the password itself, without TLS with a verified certificate',
  );
};
const guarded: ConnectionOptions['authPlugins'] = {
  sha256_password: () => refuse,
  mysql_clear_password: () => refuse,
  caching_sha2_password: (metadata) => {
    const answer = authPlugins.caching_sha2_password({})(metadata);
    return (data) => (FULL_AUTHENTICATION.equals(data) ? refuse() : answer(data));
  },
};

const client = createConnection({
  host: serverName,
  port,
  user,
  database,
  stream: () => stream,
  ...(password !== undefined && { password }),
  ...(tls && {
    ssl: {
      rejectUnauthorized: isVerified,
      verifyIdentity: true,
      ...(tls.ca !== undefined && { ca: tls.ca }),
    },
  }),
  ...(isVerified ? { enableCleartextPlugin: true } : { authPlugins: guarded }),
  connectTimeout: timeoutMs,
  connectAttributes: { program_name: 'consilium' },
  // Disables parsers by names of the server, and requests of the server for files.
  disableEval: true,
  flags: ['-LOCAL_FILES'],
  dateStrings: true,
  jsonStrings: true,
  decimalNumbers: true,
});
// A failure that mysql2 assigns to no statement, such as an answer out of turn or a restart of the
// server.
const broken = new Promise<never>((_, reject) => client.on('error', reject));
broken.catch(() => undefined);
// mysql2 writes a line for each message that it does not expect.
Object.assign(console, { error: () => undefined });

const query = (text: string): Promise<RowDataPacket[]> => {
  const rows = new Promise<RowDataPacket[]>((resolve, reject) => {
    client.query<RowDataPacket[]>(text, (error, result) => {
      if (error) reject(error);
      else resolve(Array.isArray(result) ? result : []);
    });
  });
  return Promise.race([rows, broken]);
};

/** A variable of one of the two servers, which the other may not have. */
const set = (variable: string) =>
  query(`set session ${variable}`).catch((error: unknown) => {
    if ((error as { errno?: unknown }).errno !== UNKNOWN_VARIABLE) throw error;
  });

async function connect(): Promise<void> {
  const signedIn = new Promise<void>((resolve) => client.connect(() => resolve()));
  await Promise.race([signedIn, broken]);
  await query('set session transaction read only');
  await set(`max_statement_time = ${STATEMENT_MS / 1_000}`); // MariaDB
  await set(`max_execution_time = ${STATEMENT_MS}`); // MySQL
  const wait = Math.ceil(LOCK_MS / 1_000);
  await set(`lock_wait_timeout = ${wait}`);
  await set(`innodb_lock_wait_timeout = ${wait}`);
}

/** Codes of mysql2 about the connection; it has its own codes for errors of TLS. */
const CODES: Readonly<Record<string, string>> = {
  PROTOCOL_CONNECTION_LOST: 'ECONNRESET',
  HANDSHAKE_NO_SSL_SUPPORT: NO_TLS,
  HANDSHAKE_SSL_ERROR: 'ERR_TLS_HANDSHAKE',
};

/** max_user_connections, and the other limits of an account. */
const USER_LIMITS: readonly unknown[] = [1203, 1226];

function failureOf(error: unknown) {
  // If this end has closed the connection, mysql2 has an error of its own.
  const cause = closed ?? error;
  const { message, code, errno, syscall, sqlMessage } = cause as Partial<Record<string, unknown>>;
  if (cause === closed) return { message, code };
  // Names of errors come from the server: its numbers cannot be mistaken for errors of the
  // connection, or of this process.
  if (typeof sqlMessage === 'string')
    return { message: sqlMessage, code: USER_LIMITS.includes(errno) ? USER_LIMIT : String(errno) };
  const plugin = /unknown plugin (\w{1,60})/.exec(String(message))?.[1];
  if (plugin !== undefined)
    return {
      message: `it requires the sign-in method ${plugin}, which is not supported`,
      code: UNSUPPORTED_SIGN_IN,
    };
  if (code === 'ETIMEDOUT' && message === 'connect ETIMEDOUT')
    return { message, code: isConnected ? NO_ANSWER : NO_CONNECTION };
  if (typeof code === 'string' && Object.hasOwn(CODES, code))
    return { message, code: CODES[code], reason: message };
  const isOfSystem = syscall !== undefined || String(code).startsWith('ERR_SSL_');
  return isOfSystem ? { message, code } : { message, code: NOT_MYSQL };
}

serveQueries({
  connect,
  query,
  end: () => new Promise((resolve) => client.end(() => resolve())),
  failureOf,
});
