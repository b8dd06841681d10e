const FORM =
  /^(rediss?)(?:\+(cluster|sentinel))?:\/\/(?:([^@/?]*)@)?([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/;

const WRONG_DATABASE = 'has an invalid database; expected a number, such as 2';

export interface Credentials {
  username?: string;
  password?: string;
  tls?: object;
}

interface Sentinels extends Credentials {
  sentinels: { host: string; port: number }[];
  name: string;
  db: number;
  sentinelPassword?: string;
  sentinelTLS?: object;
  enableTLSForSentinelMode?: boolean;
}

/** The parsed Redis URL. ioredis parses the URL of a single server. */
export type Target =
  | { kind: 'server'; url: string }
  | { kind: 'sentinels'; options: Sentinels }
  | { kind: 'cluster'; nodes: { host: string; port: number }[]; options: Credentials };

/**
 * Whether the URL names a cluster. In a cluster, messages are published in the shard of their run.
 */
export const isCluster = (url: string | undefined): boolean =>
  FORM.exec(url ?? '')?.[2] === 'cluster';

/**
 * Parses a Redis URL. Apart from `redis://…` and `rediss://…` (TLS):
 * - `redis+cluster://USER:PASSWORD@HOST:PORT,HOST:PORT` names some nodes of a cluster; the others
 *   are discovered.
 * - `redis+sentinel://USER:PASSWORD@HOST:PORT,HOST:PORT/MASTER/DB?sentinelPassword=…` names
 *   sentinels; user and password are those of the servers.
 * - `rediss+cluster` and `rediss+sentinel` use TLS.
 * @throws Error if a part is missing or invalid. The message continues the name of the variable and
 *   contains no part of the URL
 */
export function readUrl(url: string): Target {
  const [, scheme = '', topology, credentials, hosts = '', path = '', query] = FORM.exec(url) ?? [];
  if (topology === undefined) {
    if (!URL.canParse(url)) throw new Error('has an invalid host or port; expected HOST:PORT');
    const { pathname, username, password } = new URL(url);
    decodeURIComponent(username + password);
    if (!/^\/?\d*$/.test(pathname)) throw new Error(WRONG_DATABASE);
    return { kind: 'server', url };
  }
  const [username, ...password] = (credentials ?? '').split(':').map(decodeURIComponent);
  const options: Credentials = {
    ...(username && { username }),
    ...(password.length > 0 && { password: password.join(':') }),
    ...(scheme === 'rediss' && { tls: {} }),
  };
  const nodes = hosts.split(',').map((address) => {
    const [, v6, plain, port] = /^(?:\[(.*)\]|([^:]*))(?::(\d{1,5}))?$/.exec(address) ?? [];
    const host = v6 ?? plain;
    if (!host || Number(port ?? 1) > 65_535)
      throw new Error('has an invalid host or port; expected HOST:PORT,HOST:PORT…');
    return { host, port: Number(port ?? (topology === 'sentinel' ? 26_379 : 6_379)) };
  });
  if (topology === 'cluster') return { kind: 'cluster', nodes, options };
  const [name, db = '0'] = path.split('/').map(decodeURIComponent);
  if (!name)
    throw new Error('has no master name; expected redis+sentinel://HOST:PORT,HOST:PORT/MASTER');
  if (!/^\d*$/.test(db)) throw new Error(WRONG_DATABASE);
  const sentinelPassword = new URLSearchParams(query).get('sentinelPassword');
  return {
    kind: 'sentinels',
    options: {
      ...options,
      sentinels: nodes,
      name,
      db: Number(db),
      ...(sentinelPassword !== null && { sentinelPassword }),
      ...(scheme === 'rediss' && { sentinelTLS: {}, enableTLSForSentinelMode: true }),
    },
  };
}

/** Hosts and ports that a Redis URL names: servers, nodes of a cluster, or sentinels. */
export function serversOf(url: string | undefined): { host: string; port: number }[] {
  if (url === undefined) return [];
  const target = readUrl(url);
  if (target.kind === 'cluster') return target.nodes;
  if (target.kind === 'sentinels') return target.options.sentinels;
  const { hostname, port } = new URL(target.url);
  return [{ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 6_379) }];
}

/** The number of the database that a Redis URL names. */
export function databaseOf(url: string): number {
  const target = readUrl(url);
  if (target.kind === 'cluster') return 0;
  return target.kind === 'sentinels'
    ? target.options.db
    : Number(new URL(target.url).pathname.slice(1) || 0);
}

/**
 * The fault in the form of a Redis URL; undefined: none. It continues the name of the variable and
 * shows no part of the URL.
 */
export function redisUrlFault(url: string): string | undefined {
  try {
    readUrl(url);
    return undefined;
  } catch (error) {
    // decodeURIComponent throws a URIError.
    return error instanceof URIError
      ? 'has an invalid % in its user, password or master name; expected %25 for a %'
      : (error as Error).message;
  }
}
