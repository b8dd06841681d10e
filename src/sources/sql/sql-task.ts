import type { HostAddress } from '../../lib/http/among-addresses.js';

/** Database servers that a tool signs in to with their own protocol. */
export type SqlKind = 'postgres' | 'mysql';

/**
 * Defaults if an endpoint does not specify them. The user is no administrator: some servers admit
 * those without a password.
 */
export const SQL_DEFAULTS: Readonly<
  Record<SqlKind, { port: number; user: string; database: string }>
> = {
  postgres: { port: 5432, user: 'consilium', database: 'postgres' },
  mysql: { port: 3306, user: 'consilium', database: '' },
};

export interface SqlLogin {
  host: string;
  port: number;
  /** Empty: none. */
  database: string;
  user: string;
  /** Sent in a readable form only over TLS with a verified certificate. */
  password?: string;
  /** Absent: without TLS. */
  tls?: SqlTls;
}

export interface SqlTls {
  /** By default the host. */
  serverName?: string;
  /** PEM text. */
  ca?: string;
  trustSelfSigned?: boolean;
}

/** The input of the thread of a session. */
export interface SqlTask extends SqlLogin {
  /** The checked addresses of the host. */
  addresses: readonly HostAddress[];
  /** ms until the server must have let it in. */
  timeoutMs: number;
}

export type SqlRow = Record<string, unknown>;

/**
 * What the thread posts after the sign-in, and for each text that it receives. Texts are at most
 * 500 characters.
 */
export type SqlAnswer =
  { rows: SqlRow[] } | { failed: { message: string; code: string; reason: string } };

/** Codes of failures: the server's data is not that of a server of its kind, or is too large. */
export const NOT_POSTGRES = 'NOT_POSTGRES';
export const NOT_MYSQL = 'NOT_MYSQL';

/** Code of a failure: the server asks for a password that others could read. It got none. */
export const UNSAFE_PASSWORD = 'UNSAFE_PASSWORD';

/** Code of a failure: the server asks for a password, and the login has none. */
export const NO_PASSWORD = 'NO_PASSWORD';

/**
 * Code of a failure: the user has reached its maximum of connections, which shows nothing about
 * other users.
 */
export const USER_LIMIT = 'USER_LIMIT';

/** Code of a failure: the server offers no TLS, which its login asks for. */
export const NO_TLS = 'ERR_TLS_NOT_OFFERED';

/** Code of a failure: the server requires a sign-in method that the driver does not support. */
export const UNSUPPORTED_SIGN_IN = 'UNSUPPORTED_SIGN_IN';

/**
 * Codes of failures: the limit for the sign-in is over, and the server has accepted a connection,
 * or has not.
 */
export const NO_ANSWER = 'NO_ANSWER';
export const NO_CONNECTION = 'NO_CONNECTION';

/**
 * Time limits of a statement, and of its waits for locks: a monitor must not queue up behind locks
 * of a faulty server.
 */
export const STATEMENT_MS = 4_000;
export const LOCK_MS = 500;
/**
 * Maximum bytes that the server may send in a session; the answers of a healthy one have about 10
 * kB.
 */
export const MOST_BYTES = 4 * 2 ** 20;

/** Sent as a query: informs the server that the session ends. */
export const END = '';
