import type { SqlTls } from '../sql/sql-task.js';

export const KAFKA_MECHANISMS = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'] as const;
export type KafkaMechanism = (typeof KAFKA_MECHANISMS)[number];

export interface KafkaAddress {
  host: string;
  port: number;
}

export interface KafkaLogin {
  user: string;
  password: string;
  mechanism: KafkaMechanism;
}

/** How a cluster is reached. */
export interface KafkaServer {
  /** One of them must answer; the cluster names the others. */
  bootstrap: readonly KafkaAddress[];
  login?: KafkaLogin;
  /** Absent: without TLS. */
  tls?: SqlTls;
}

const PORT = 9092;
/** Brokers that are asked. */
export const MOST_BROKERS = 30;

/**
 * Brokers of an endpoint, `host:port,host:port`, also with `kafka://`; undefined if it is not one.
 */
export function bootstrapOf(endpoint: string): KafkaAddress[] | undefined {
  const parts = endpoint.replace(/^kafka:\/\//i, '').split(',');
  const found = parts.slice(0, MOST_BROKERS + 1).map(addressOf);
  const known = found.filter((each) => each !== undefined);
  return known.length === parts.length && known.length <= MOST_BROKERS ? known : undefined;
}

function addressOf(text: string): KafkaAddress | undefined {
  const [, name = '', digits] =
    /^\s*(\[[\da-fA-F:.]{2,45}\]|[^\s/?#@:[\]\p{Cc}]{1,253})(?::(\d{1,5}))?\s*$/u.exec(text) ?? [];
  const port = digits === undefined ? PORT : Number(digits);
  return name === '' || port < 1 || port > 65_535
    ? undefined
    : { host: name.replace(/^\[|\]$/g, ''), port };
}
