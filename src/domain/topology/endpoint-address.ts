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

/** Scheme, and host and port, of a URL or of `host:port`, without credentials (RFC 3986 section 3.2). */
export const AUTHORITY = /^(?:([a-z][a-z0-9+.-]*):\/\/)?(?:[^\s/?#]*@)?([^\s/?#]*)/i;
/** A host that has no meaning to a shell: a name, an IPv4 address, or an IPv6 address in brackets. */
const HOST_AND_PORT = /^([\w.-]+|\[[\da-f:.]+\])(?::(\d{1,5}))?$/i;

/** Host and port of an endpoint as they may stand in a command; undefined if they cannot, or are not known. */
export function endpointAddress(
  endpoint: string | undefined,
): { host: string; port: string | undefined } | undefined {
  const [, scheme = '', authority = ''] = AUTHORITY.exec(endpoint ?? '') ?? [];
  const [, host, port = DEFAULT_PORTS[scheme.toLowerCase()]] = HOST_AND_PORT.exec(authority) ?? [];
  return host === undefined ? undefined : { host, port: port?.toString() };
}
