import type { TopologyNode } from './topology.js';

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
const AUTHORITY = /^(?:([a-z][a-z0-9+.-]*):\/\/)?(?:[^\s/?#]*@)?([^\s/?#]*)/i;
/** A host that has no meaning to a shell: a name, an IPv4 address, or an IPv6 address in brackets. */
const HOST_AND_PORT = /^([\w.-]+|\[[\da-f:.]+\])(?::(\d{1,5}))?$/i;

/** `host` or `host:port` of an endpoint, in lower case. */
const authorityOf = (endpoint: string): string =>
  (AUTHORITY.exec(endpoint)?.[2] ?? '').toLowerCase();

/** Host and port of an endpoint as they may stand in a command; undefined if they cannot, or are not known. */
export function endpointAddress(
  endpoint: string | undefined,
): { host: string; port: string | undefined } | undefined {
  const [, scheme = '', authority = ''] = AUTHORITY.exec(endpoint ?? '') ?? [];
  const [, host, port = DEFAULT_PORTS[scheme.toLowerCase()]] = HOST_AND_PORT.exec(authority) ?? [];
  return host === undefined ? undefined : { host, port: port?.toString() };
}

/**
 * Makes a function that replaces the addresses of nodes in a text by `<endpoint of ID>`: no endpoint goes to a model. The time is
 * linear in the length of the text.
 */
export function endpointMask(nodes: readonly TopologyNode[]): (text: string) => string {
  const idOf = new Map<string, string>();
  for (const { id, endpoint } of nodes)
    for (const address of addressesOf(endpoint)) if (!idOf.has(address)) idOf.set(address, id);
  if (idOf.size === 0) return (text) => text;
  const any = [...idOf.keys()].toSorted((a, b) => b.length - a.length).map(escape);
  const pattern = new RegExp(`(?<![\\w.-])(?:${any.join('|')})(?![\\w-])`, 'gi');
  return (text) =>
    text.replace(pattern, (address) => `<endpoint of ${idOf.get(address.toLowerCase()) ?? ''}>`);
}

/** `host:port` of an endpoint; a host alone only if it is a name of several parts, which no other text holds by chance. */
function addressesOf(endpoint: string | undefined): string[] {
  if (endpoint === undefined || endpoint === '') return [];
  const host = authorityOf(endpoint);
  const [name = ''] = host.split(':');
  return [
    ...(host.includes(':') ? [host] : []),
    ...(/[a-z]/i.test(name) && name.includes('.') ? [name] : []),
  ];
}

const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
