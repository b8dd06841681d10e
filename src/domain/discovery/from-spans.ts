import type { Span } from '../telemetry/records.js';
import type { FoundEdge, FoundNode } from './draft.js';
import { endpointOf, kindOf } from './service-kind.js';

/** A span with the name of its service. */
export interface ServiceSpan extends Pick<Span, 'traceId' | 'spanId' | 'parentId' | 'attributes'> {
  service: string;
}

const SYSTEMS: Readonly<Record<string, string>> = {
  postgresql: 'postgres',
  mysql: 'mysql',
  mariadb: 'mysql',
  redis: 'redis',
  mongodb: 'mongodb',
  kafka: 'kafka',
  rabbitmq: 'rabbitmq',
  memcached: 'memcached',
  elasticsearch: 'elasticsearch',
  opensearch: 'elasticsearch',
};

/**
 * Services as nodes; one depends on another if a span of it has a child of the other. Databases and
 * queues have no spans of their own: their clients name them (`db.system.name`, `messaging.system`,
 * `server.address`, by the semantic conventions of OpenTelemetry).
 */
export function foundInSpans(spans: readonly ServiceSpan[]): {
  nodes: FoundNode[];
  edges: FoundEdge[];
} {
  const serviceOf = new Map(spans.map((span) => [`${span.traceId} ${span.spanId}`, span.service]));
  const nodes = new Map<string, FoundNode>();
  const counts = new Map<string, { node: string; on: string; count: number }>();
  const call = (node: string, on: string) => {
    const known = counts.get(`${node} ${on}`) ?? { node, on, count: 0 };
    counts.set(`${node} ${on}`, { ...known, count: known.count + 1 });
  };
  for (const { service, traceId, parentId, attributes } of spans) {
    nodes.set(service, { id: service, kind: 'service', from: 'spans' });
    const caller = parentId === undefined ? undefined : serviceOf.get(`${traceId} ${parentId}`);
    if (caller !== undefined && caller !== service) call(caller, service);
    const store = storeOf(attributes);
    if (store === undefined) continue;
    if (!nodes.has(store.id)) nodes.set(store.id, store);
    call(service, store.id);
  }
  const edges = [...counts.values()].map(({ node, on, count }): FoundEdge => {
    const from = count === 1 ? 'one call' : `${count} calls`;
    return { node, on, evidence: 'trace', from };
  });
  return { nodes: [...nodes.values()], edges };
}

function storeOf(attributes: Readonly<Record<string, string>>): FoundNode | undefined {
  const system =
    attributes['db.system.name'] ?? attributes['db.system'] ?? attributes['messaging.system'];
  if (system === undefined) return undefined;
  const host =
    attributes['server.address'] ?? attributes['net.peer.name'] ?? attributes['peer.service'];
  const port = Number(attributes['server.port'] ?? attributes['net.peer.port'] ?? NaN);
  const known = SYSTEMS[system.toLowerCase()];
  const kind = known ?? kindOf(Number.isInteger(port) ? { port } : {});
  const isReachable = host !== undefined && Number.isInteger(port);
  return {
    id: host ?? system,
    kind,
    from: `client spans of ${system}`,
    ...(isReachable && { endpoint: endpointOf(kind, host, port) }),
  };
}
