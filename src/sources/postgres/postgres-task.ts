export interface PostgresLogin {
  host: string;
  port: number;
  database: string;
  user: string;
  /** Sent as cleartext or MD5 only over TLS with a verified certificate. */
  password?: string;
  /** Absent: without TLS. */
  tls?: PostgresTls;
}

export interface PostgresTls {
  /** By default the host. */
  serverName?: string;
  /** PEM text. */
  ca?: string;
  trustSelfSigned?: boolean;
}

/** What the thread of a session is started with. */
export interface PostgresTask extends PostgresLogin {
  /** The checked address of the host. */
  address: string;
  /** ms until the server must have let it in. */
  timeoutMs: number;
}

export type PostgresRow = Record<string, unknown>;

/** What the thread posts after the sign-in, and for each text that it receives. Texts are at most 500 characters. */
export type PostgresAnswer =
  { rows: PostgresRow[] } | { failed: { message: string; code: string; reason: string } };

/** Code of a failure: what the server sends is not what a PostgreSQL sends, or too much. */
export const NOT_POSTGRES = 'NOT_POSTGRES';

/** Codes of failures: the limit for the sign-in is over, and the server has accepted a connection, or has not. */
export const NO_ANSWER = 'NO_ANSWER';
export const NO_CONNECTION = 'NO_CONNECTION';

/** In place of a query: tells the server that the session ends. */
export const END = '';
