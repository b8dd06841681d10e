import { AUTHORITY, DEFAULT_PORTS } from '../topology/endpoint-address.js';
import type { TopologyNode } from '../topology/topology.js';

/**
 * Texts of nodes that must be masked, in lower case, each with the ids of the nodes that have it.
 */
interface NodeAddresses {
  /**
   * `host:port`, of an IPv6 address with brackets. The port of an endpoint without one is that of
   * its scheme or kind.
   */
  endpoints: Map<string, string[]>;
  hosts: Map<string, string[]>;
  /** The `hosts` that no other text contains by chance, and that do not name a node. */
  unmistakable: Set<string>;
}

/**
 * An escape of JSON; or a host behind the slashes of a URL, if there are some, and before its port.
 */
const HOST =
  /\\(?:u[\da-f]{4}|[nrtbf])|(\\{0,4}\/\\{0,4}\/(?:[^\s/?#@"]{0,200}@)?)?(\[[\da-f:.]{2,45}\]|[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)*)(?::(\d{1,5})(?![\p{L}\p{N}_]|\.\d))?/giu;
const SCHEME = /([a-z][a-z0-9+-]*):$/i;
/** An address, also in a longer word. */
const IP =
  /(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?!\.?\d)|(?<![\w:.])[\da-f]{0,4}(?::[\da-f]{0,4}){2,7}(?![\w:]|\.\d)/gi;
const IS_IP = /^(?:\d{1,3}(?:\.\d{1,3}){3}|[\da-f:.]*:[\da-f:.]*)$/i;
/**
 * The addresses that the name of a target resolved to, in a tool result, which may be embedded in
 * other JSON.
 */
const RESOLVED = /\\{0,8}"addresses\\{0,8}":\[([^\]]{0,4000})/g;
/** The target of such a result, and the characters before its addresses in which it stands. */
const TARGET = /^"target\\{0,8}":\\{0,8}"(\[[^\]"]{1,45}\]|[^:"\\]{1,253})/;
const NEAR = 400;

/**
 * Creates a function that removes the addresses of nodes from a text: no endpoint is sent to a
 * model. `<endpoint of ID>` replaces a host with the port of a node, `<host of ID>` a host alone,
 * `<address of ID>` what the host of a node resolved to, `<address>` another resolved address. If
 * several nodes share one address, all are named that fit, because the text does not show which of
 * them is meant. A host of one word, such as `shop`, is an address only in a URL or with its port.
 * The time is linear in the length of the text.
 */
export function endpointMask(nodes: readonly TopologyNode[]): (text: string) => string {
  const known = knownOf(nodes);
  if (known.hosts.size === 0) return (text) => text;
  return (text) => {
    const resolved = resolvedIn(text, known.hosts);
    const shown = (all: string, ...found: [string?, string?, string?, number?]): string => {
      const [begin, host, port, at = 0] = found;
      const name = host?.toLowerCase() ?? '';
      // Most words are not hosts.
      const ids = known.hosts.get(bare(name));
      if (ids === undefined) return all;
      const [, scheme = ''] = SCHEME.exec(text.slice(Math.max(0, at - 20), at)) ?? [];
      const usual = begin === undefined ? undefined : DEFAULT_PORTS[scheme.toLowerCase()];
      const owners = known.endpoints.get(`${name}:${port ?? usual ?? ''}`);
      if (owners !== undefined) return `${begin ?? ''}<endpoint of ${named(owners)}>`;
      if (begin === undefined && !known.unmistakable.has(bare(name))) return all;
      return `${begin ?? ''}<host of ${named(ids)}>${port === undefined ? '' : `:${port}`}`;
    };
    return text.replace(HOST, shown).replace(IP, (ip) => {
      const ids = known.hosts.get(ip.toLowerCase());
      if (ids !== undefined) return `<host of ${named(ids)}>`;
      const owners = resolved.get(ip.toLowerCase());
      if (owners === undefined) return ip;
      return owners.length === 0 ? '<address>' : `<address of ${named(owners)}>`;
    });
  };
}

function knownOf(nodes: readonly TopologyNode[]): NodeAddresses {
  const known: NodeAddresses = { endpoints: new Map(), hosts: new Map(), unmistakable: new Set() };
  const names = new Set(nodes.flatMap(({ id, name }) => [id.toLowerCase(), name.toLowerCase()]));
  for (const { id, kind, endpoint = '' } of nodes) {
    const [, scheme = kind, authority = ''] = AUTHORITY.exec(endpoint) ?? [];
    // The endpoint of a Kafka cluster may have several brokers.
    for (const part of authority.toLowerCase().split(',')) {
      const usual = DEFAULT_PORTS[scheme.toLowerCase()]?.toString();
      const [, host, port = usual ?? ''] =
        /^(\[[^\]]*\]|[^:[\]]+?)\.?(?::(\d+))?$/.exec(part) ?? [];
      if (host === undefined) continue;
      const name = bare(host);
      addTo(known.hosts, name, id);
      if (port !== '') addTo(known.endpoints, `${host}:${port}`, id);
      if (IS_IP.test(name) || (name.includes('.') && !names.has(name)))
        known.unmistakable.add(name);
    }
  }
  return known;
}

/** Maximum nodes that are named for one address. */
const MOST_NAMED = 3;

const named = (ids: readonly string[]): string =>
  ids.length > MOST_NAMED
    ? `${ids.slice(0, MOST_NAMED).join(', ')} and ${ids.length - MOST_NAMED} more`
    : ids.join(' or ');

function addTo(map: Map<string, string[]>, key: string, id: string): void {
  const ids = map.get(key);
  if (ids === undefined) map.set(key, [id]);
  else if (ids.at(-1) !== id) ids.push(id);
}

const bare = (host: string): string => (host[0] === '[' ? host.slice(1, -1) : host);

/** The resolved addresses in a text, each with the nodes whose host is the target of the result. */
function resolvedIn(
  text: string,
  hosts: ReadonlyMap<string, readonly string[]>,
): Map<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  const read = new Set<string>();
  for (const { 0: all, 1: list = '', index } of text.matchAll(RESOLVED)) {
    const before = text.slice(Math.max(0, index - NEAR), index);
    if (read.has(before + all)) continue;
    read.add(before + all);
    const [, host = ''] = TARGET.exec(before.slice(before.lastIndexOf('"target'))) ?? [];
    const owners = hosts.get(bare(host.toLowerCase())) ?? [];
    for (const [ip] of list.matchAll(IP)) {
      const known = found.get(ip.toLowerCase()) ?? [];
      found.set(ip.toLowerCase(), [...new Set([...known, ...owners])]);
    }
  }
  return found;
}
