/** By the scheme of an endpoint. */
export const DEFAULT_PORTS: Readonly<Record<string, number>> = {
  http: 80,
  kafka: 9092,
  https: 443,
  tls: 443,
  mysql: 3306,
  mariadb: 3306,
  postgres: 5432,
  postgresql: 5432,
  redis: 6379,
  rediss: 6379,
};

/**
 * Scheme, and host and port, of a URL or of `host:port`, without credentials (RFC 3986 section
 * 3.2).
 */
export const AUTHORITY = /^(?:([a-z][a-z0-9+.-]*):\/\/)?(?:[^\s/?#]*@)?([^\s/?#]*)/i;
/** A host without meaning for a shell: a name, an IPv4 address, or an IPv6 address in brackets. */
const HOST_AND_PORT = /^([\w.-]+|\[[\da-f:.]+\])(?::(\d{1,5}))?$/i;

/**
 * Host and port of an endpoint in a form that is safe in a command; undefined if they have none, or
 * are unknown.
 */
export function endpointAddress(
  endpoint: string | undefined,
): { host: string; port: string | undefined } | undefined {
  const [, scheme = '', authority = ''] = AUTHORITY.exec(endpoint ?? '') ?? [];
  const [, host, port = DEFAULT_PORTS[scheme.toLowerCase()]] = HOST_AND_PORT.exec(authority) ?? [];
  return host === undefined ? undefined : { host, port: port?.toString() };
}

/**
 * Schemes of URLs that the programs of commands read, and those of kinds of nodes whose endpoint
 * needs none.
 */
const URL_SCHEME = /^(?:https?|rediss?|postgres(?:ql)?)$/;
const SCHEMES: Readonly<Record<string, string>> = { redis: 'redis', postgres: 'postgresql' };
/** A path without meaning for a shell. */
const PLAIN_PATH = /^\/[\w.~%+,:@=/-]*$/;

/**
 * The user name in an endpoint in a form that is safe in a command; undefined if it has none, or if
 * there is no user.
 */
export function endpointUser(endpoint = ''): string | undefined {
  const [before = ''] = AUTHORITY.exec(endpoint) ?? [];
  return /(?:^|\/\/)([\w.-]+)(?::[^@/]*)?@/.exec(before)?.[1];
}

/**
 * The endpoint of a node as a URL for a command: without a password or a query; undefined if it is
 * not a URL.
 * @param user the name to sign in with; that of the endpoint unless given
 */
export function endpointUrl({
  endpoint = '',
  kind,
  user = endpointUser(endpoint),
}: {
  endpoint?: string | undefined;
  kind: string;
  user?: string | undefined;
}): string | undefined {
  const address = endpointAddress(endpoint);
  const [before = '', given = SCHEMES[kind] ?? ''] = AUTHORITY.exec(endpoint) ?? [];
  const scheme = given.toLowerCase();
  if (address === undefined || !URL_SCHEME.test(scheme)) return undefined;
  const { host, port } = address;
  // Only psql accepts a user name without the password.
  const login = scheme.startsWith('postgres') && user !== undefined ? `${user}@` : '';
  const [path = ''] = /^[^?#]*/.exec(endpoint.slice(before.length)) ?? [];
  const place = port === undefined ? host : `${host}:${port}`;
  return `${scheme}://${login}${place}${PLAIN_PATH.test(path) ? path : ''}`;
}
