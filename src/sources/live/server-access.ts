import { readSecret } from '../../config/secrets.js';
import type { TopologyNode, TopologySource } from '../../domain/topology/topology.js';
import type { SqlKind, SqlTls } from '../sql/sql-task.js';
import { errorOfSource, SourceError } from '../http/source-error.js';
import { bootstrapOf, type KafkaServer } from '../kafka/kafka-server.js';
import { findListed } from './find-listed.js';
import type { ListedKafka, ListedServer, ListedSql } from './sources-file.js';
import type { SourceReach } from './source-reach.js';

/** How to reach the server that a node selects from. Read for each use, and never kept. */
export interface ServerAccess {
  /** The id of the source. */
  source: string;
  endpoint: string;
  /** The node's part of the server; absent for `*`. */
  selector?: string;
  user?: string;
  password?: string;
  /** Absent: without TLS. */
  tls?: SqlTls;
}

/** How to reach the Kafka that a node selects from. Read for each use, and never kept. */
export interface KafkaAccess {
  /** The id of the source. */
  source: string;
  server: KafkaServer;
  /** Names of consumer groups, or `*`. */
  selector: string;
}

/** Finds the listed Kafka that a node selects from; undefined if it selects from none. */
export function kafkaAccess(
  sources: readonly TopologySource[],
  listed: readonly ListedServer[],
  { secretOf }: SourceReach,
) {
  return async (node: TopologyNode): Promise<KafkaAccess | undefined> => {
    const source = sources.find(({ kind, id }) => kind === 'kafka' && node.in?.[id] !== undefined);
    const selector = node.in?.[source?.id ?? ''];
    if (source === undefined || selector === undefined) return undefined;
    const server = findListed({ id: source.id, kind: 'kafka' }, listed);
    const read = named(source.id, kafkaServer(server, secretOf));
    return { source: source.id, server: await read, selector };
  };
}

/** Names the source in the error of a missing credential. */
async function named<T>(source: string, read: Promise<T>): Promise<T> {
  try {
    return await read;
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw errorOfSource(source, new SourceError('failed', message, { cause }));
  }
}

/**
 * How a listed Kafka is reached, with its credential.
 * @throws if the credential is missing
 */
export async function kafkaServer(
  listed: ListedKafka,
  secretOf: SourceReach['secretOf'],
): Promise<KafkaServer> {
  const { endpoint, auth } = listed;
  const tls = await tlsOf(listed, secretOf);
  return {
    bootstrap: bootstrapOf(endpoint) ?? [],
    ...(auth && { login: { ...auth, password: await readSecret(auth.password, secretOf) } }),
    ...(tls && { tls }),
  };
}

/**
 * Finds the listed server of a kind that a node selects from; undefined if it selects from none.
 */
export function accessTo(
  sources: readonly TopologySource[],
  listed: readonly ListedServer[],
  { secretOf }: SourceReach,
) {
  return async (node: TopologyNode, kind: SqlKind): Promise<ServerAccess | undefined> => {
    const source = sources.find((each) => each.kind === kind && node.in?.[each.id] !== undefined);
    if (source === undefined) return undefined;
    const server = findListed({ id: source.id, kind }, listed);
    const selector = node.in?.[source.id];
    const { endpoint, auth } = server;
    const tls = await named(source.id, tlsOf(server, secretOf));
    const password = auth && (await named(source.id, readSecret(auth.password, secretOf)));
    return {
      source: source.id,
      endpoint,
      ...(selector !== undefined && selector !== '*' && { selector }),
      ...(auth && password !== undefined && { user: auth.user, password }),
      ...(tls && { tls }),
    };
  };
}

/**
 * How a listed server is trusted; undefined: without TLS.
 * @throws if a credential is missing
 */
export async function tlsOf(
  { tls, ca, trustSelfSigned, serverName }: ListedSql | ListedKafka,
  secretOf: SourceReach['secretOf'],
): Promise<SqlTls | undefined> {
  if (tls !== true) return undefined;
  return {
    ...(ca !== undefined && { ca: await readSecret(ca, secretOf) }),
    ...(trustSelfSigned !== undefined && { trustSelfSigned }),
    ...(serverName !== undefined && { serverName }),
  };
}
