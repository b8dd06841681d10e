import { nodesNamedIn } from '../alert-subject.js';
import type { ObservedNode } from '../observations.js';

/** Characters of a line in which nodes are looked for. */
const LOOKED_AT = 4_000;
/**
 * What nginx writes of the server that it asked, behind the address of the client and the request, which may name other nodes:
 * `upstream: "http://10.0.0.5:8080/orders"`. https://nginx.org/en/docs/http/ngx_http_upstream_module.html
 */
const UPSTREAM = /\bupstream: "([^"]{1,2000})"/;
/** The authority of a URL, without user and password. */
const AUTHORITY = /^(?:([a-z][a-z0-9+.-]{0,20}):\/\/)?(?:[^/?#@]{0,300}@)?([^/?#@]{1,300})/i;
const PORTS: Readonly<Record<string, string>> = {
  ...{ http: '80', https: '443', tls: '443', redis: '6379', rediss: '6379' },
  ...{ postgres: '5432', postgresql: '5432', mysql: '3306', mariadb: '3306' },
};
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Ids of the nodes that a log line names, by their id or by the address of their endpoint; of a line of a proxy, those that it asked. */
export function nodesNamedInLine(line: string, nodes: readonly ObservedNode[]): string[] {
  const looked = line.slice(0, LOOKED_AT);
  const addresses = addressesOf(nodes);
  const names = [...nodes.map(({ id }) => id), ...addresses.keys()];
  const named = (text: string) => [
    ...new Set(nodesNamedIn(text, names).map((name) => addresses.get(name) ?? name)),
  ];
  const asked = AUTHORITY.exec(UPSTREAM.exec(looked)?.[1] ?? '')?.[2];
  const upstreams = asked === undefined ? [] : named(asked);
  return upstreams.length > 0 ? upstreams : named(looked);
}

/** `host:port` to the id of the only node whose endpoint it is. */
function addressesOf(nodes: readonly ObservedNode[]): Map<string, string> {
  const found = new Map<string, string | undefined>();
  for (const { id, endpoint } of nodes)
    for (const address of spellingsOf(endpoint ?? ''))
      found.set(address, found.has(address) ? undefined : id);
  return new Map([...found].flatMap(([address, id]) => (id === undefined ? [] : [[address, id]])));
}

function spellingsOf(endpoint: string): string[] {
  const [, scheme = '', authority = ''] = AUTHORITY.exec(endpoint.toLowerCase()) ?? [];
  const known = PORTS[scheme];
  const hasPort = /:\d{1,5}$/.test(authority);
  if (!hasPort && known === undefined) return [];
  const address = hasPort ? authority : `${authority}:${known}`;
  const [, host = '', port = ''] = /^(.+):(\d{1,5})$/.exec(address) ?? [];
  return LOOPBACK.includes(host) ? LOOPBACK.map((each) => `${each}:${port}`) : [address];
}
