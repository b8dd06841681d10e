import { nodesNamedIn } from '../alert-subject.js';
import { telemetryNames } from '../find-node.js';
import type { ObservedNode } from '../observations.js';

/** Maximum characters of a line that are searched for nodes. */
const LOOKED_AT = 4_000;
/**
 * The text of nginx about the upstream server, after the address of the client and the request,
 * which may name other nodes: `upstream: "http://10.0.0.5:8080/orders"`.
 * https://nginx.org/en/docs/http/ngx_http_upstream_module.html
 */
const UPSTREAM = /\bupstream: "([^"]{1,2000})"/;
/** The authority of a URL, without user and password. */
const AUTHORITY = /^(?:([a-z][a-z0-9+.-]{0,20}):\/\/)?(?:[^/?#@]{0,300}@)?([^/?#@]{1,300})/i;
const PORTS: Readonly<Record<string, string>> = {
  http: '80',
  https: '443',
  tls: '443',
  redis: '6379',
  rediss: '6379',
  postgres: '5432',
  postgresql: '5432',
  mysql: '3306',
  mariadb: '3306',
};
/**
 * A key of a measured value: `opensearch_ms=31` describes a call that was made, not one that
 * failed.
 */
const MEASURED =
  /[\w.-]{1,100}_(?:ms|millis|seconds|secs|duration|latency|elapsed|count|total|bytes|size)["']?\s{0,2}[:=]/g;
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Ids of the nodes that a log line names, by their id, by a name in telemetry, or by the address of
 * their endpoint; for a line of a proxy, the upstream servers.
 */
export function nodesNamedInLine(line: string, nodes: readonly ObservedNode[]): string[] {
  const looked = line.slice(0, LOOKED_AT).replaceAll(MEASURED, ' ');
  const others = new Map([...aliasesOf(nodes), ...addressesOf(nodes)]);
  for (const { id } of nodes) others.delete(id);
  const names = [...nodes.map(({ id }) => id), ...others.keys()];
  const named = (text: string) => [
    ...new Set(nodesNamedIn(text, names).map((name) => others.get(name) ?? name)),
  ];
  const asked = AUTHORITY.exec(UPSTREAM.exec(looked)?.[1] ?? '')?.[2];
  const upstreams = asked === undefined ? [] : named(asked);
  return upstreams.length > 0 ? upstreams : named(looked);
}

/** `host:port` to the id of the only node whose endpoint it is. */
const addressesOf = (nodes: readonly ObservedNode[]): Map<string, string> =>
  uniqueNames(nodes, ({ endpoint }) => spellingsOf(endpoint ?? ''));

const aliasesOf = (nodes: readonly ObservedNode[]): Map<string, string> =>
  uniqueNames(nodes, telemetryNames);

/** Names to the id of the only node that has them. */
function uniqueNames(
  nodes: readonly ObservedNode[],
  namesOf: (node: ObservedNode) => string[],
): Map<string, string> {
  const found = new Map<string, string | undefined>();
  for (const node of nodes)
    for (const name of namesOf(node)) found.set(name, found.has(name) ? undefined : node.id);
  return new Map([...found].flatMap(([name, id]) => (id === undefined ? [] : [[name, id]])));
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
