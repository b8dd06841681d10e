import { isIP } from 'node:net';
import { DEFAULT_PORTS } from '../../domain/topology/endpoint-address.js';
import { withoutReferences } from '../../domain/topology/secrets/secret-reference.js';
import { hasControlCharacters } from '../../domain/topology/endpoint-fault.js';
import type { TopologyNode } from '../../domain/topology/topology.js';

/** A TCP target; an IPv6 `host` stands without brackets. */
export interface HostPort {
  host: string;
  port: number;
}

/**
 * Undefined if the endpoint is not a URL, or contains control characters: a topology that was
 * stored before those were refused. `host:port` is not a URL for `new URL` (it reads a scheme
 * `host:`), so the bare form gets a scheme.
 */
function parse(endpoint: string | undefined): URL | undefined {
  if (!endpoint || hasControlCharacters(endpoint)) return undefined;
  // An unresolved reference is not part of the host, but may contain a slash.
  const known = withoutReferences(endpoint);
  const text = known.includes('://') ? known : `bare://${known}`;
  return URL.canParse(text) ? new URL(text) : undefined;
}

const withoutBrackets = (hostname: string) => hostname.replace(/^\[|\]$/g, '');

/** The node's endpoint as a URL, if it has one of these protocols (`https:`) and a host. */
export const urlOf = (node: TopologyNode, ...protocols: string[]): URL | undefined =>
  urlIn(node.endpoint, ...protocols);

/** A text as a URL, if it has one of these protocols and a host. */
export function urlIn(text: string | undefined, ...protocols: string[]): URL | undefined {
  const url = parse(text);
  return url && url.hostname !== '' && protocols.includes(url.protocol) ? url : undefined;
}

/**
 * The address of the endpoint: `host:port`, `[::1]:80`, or a URL with a port or a well-known one.
 */
export function hostPortOf(node: { endpoint?: string | undefined }): HostPort | undefined {
  const url = parse(node.endpoint);
  if (!url || url.hostname === '') return undefined;
  const port = url.port === '' ? DEFAULT_PORTS[url.protocol.slice(0, -1)] : Number(url.port);
  return port === undefined || port === 0
    ? undefined
    : { host: withoutBrackets(url.hostname), port };
}

/** The host of the endpoint, whatever its form: a name or an IP literal without brackets. */
export function hostOf(node: TopologyNode): string | undefined {
  return withoutBrackets(parse(node.endpoint)?.hostname ?? '') || undefined;
}

/** `host:port` as it is written, with brackets around IPv6. */
export const showHostPort = ({ host, port }: HostPort): string =>
  `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;

/** A URL for display: without credentials and query, which may contain tokens. */
export function showUrl(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}${url.search === '' ? '' : '?…'}`.slice(
    0,
    300,
  );
}

/** The user name and password of a URL, decoded; undefined if there is none. */
export function credentialsOf(url: URL): { user: string; password: string } | undefined {
  if (url.username === '' && url.password === '') return undefined;
  return { user: decode(url.username), password: decode(url.password) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // A stray `%` that was meant literally.
  }
}

/**
 * Foreign text, fit for a result: one line without control characters, without URL credentials and
 * without the password of this node's endpoint (a server may echo it), at most `most` characters.
 */
export function clean(text: string, node: TopologyNode, most = 300): string {
  // Bounded quantifiers: the text is the target's, and an unbounded scan of it would be quadratic.
  let result = text
    .slice(0, 4 * most + 2_000)
    .replace(/([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/?#]{0,1000}@/gi, '$1***@');
  const url = parse(node.endpoint);
  for (const secret of url ? [url.password, decode(url.password)] : []) {
    if (secret.length >= 3) result = result.replaceAll(secret, '***');
  }
  result = result.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  return result.length > most ? `${result.slice(0, most - 1)}…` : result;
}
