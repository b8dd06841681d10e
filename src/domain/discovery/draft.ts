import { endpointFault } from '../topology/endpoint-fault.js';

/**
 * How an edge was found, strongest first: an observed call is stronger than a name in a variable.
 */
export const EVIDENCE = ['trace', 'metric', 'env', 'command', 'route', 'link', 'order'] as const;
export type EdgeEvidence = (typeof EVIDENCE)[number];

export interface FoundNode {
  id: string;
  kind: string;
  endpoint?: string;
  /** Selectors, by the id of a source. */
  in?: Readonly<Record<string, string>>;
  /** Where it was found: `deployment shop/cart`. */
  from: string;
}

export interface FoundEdge {
  /** Id of the node that depends. */
  node: string;
  on: string;
  evidence: EdgeEvidence;
  /** Where it was found: `CATALOG_URL of deployment shop/cart`. */
  from: string;
}

export interface DraftNode extends FoundNode {
  /** In order of their ids. */
  dependsOn: FoundEdge[];
}

export interface TopologyDraft {
  nodes: DraftNode[];
  /** Edges that would close a cycle, which a topology must not have: the weakest of each. */
  leftOut: FoundEdge[];
  /** Edges to something that is not a node of the draft, such as an external host. */
  unknown: FoundEdge[];
  /** What was not read, as sentences: edges may be missing. */
  unread: readonly string[];
}

/** Back ends of telemetry: every service sends data to them, and none needs them to work. */
const TELEMETRY =
  /^(?:.*-)?(?:otel-?col(?:lector)?|opentelemetry-collector|jaeger|zipkin|prometheus|grafana|loki|tempo|promtail|fluent-?(?:bit|d)|statsd|telegraf|alertmanager)(?:-.*)?$/;

/**
 * A draft of a topology from findings. The result does not depend on the order of the findings:
 * nodes and edges are sorted by id, and of several edges between two nodes the strongest stays.
 */
export function draftOf(
  found: readonly FoundNode[],
  edges: readonly FoundEdge[],
  unread: readonly string[] = [],
): TopologyDraft {
  const nodes = new Map<string, FoundNode>();
  for (const node of found.toSorted((a, b) => compare(key(a), key(b))))
    if (!TELEMETRY.test(node.id) && !nodes.has(node.id)) nodes.set(node.id, node);
  const strongest = new Map<string, FoundEdge>();
  const unknown = new Map<string, FoundEdge>();
  for (const edge of edges.toSorted(byStrength)) {
    const pair = `${edge.node} ${edge.on}`;
    if (edge.node === edge.on || !nodes.has(edge.node)) continue;
    if (!nodes.has(edge.on)) {
      if (!TELEMETRY.test(edge.on) && !unknown.has(pair)) unknown.set(pair, edge);
    } else if (!strongest.has(pair)) strongest.set(pair, edge);
  }
  const kept = new Map<string, FoundEdge[]>([...nodes.keys()].map((id) => [id, []]));
  const leftOut: FoundEdge[] = [];
  for (const edge of strongest.values())
    if (leads(kept, edge.on, edge.node)) leftOut.push(edge);
    else kept.get(edge.node)?.push(edge);
  return {
    nodes: [...nodes.values()]
      .map((node) => ({
        ...node,
        // A kind whose tools need an endpoint is refused without one.
        kind: endpointFault(node.kind, node.endpoint) === undefined ? node.kind : 'workload',
        dependsOn: (kept.get(node.id) ?? []).toSorted((a, b) => compare(a.on, b.on)),
      }))
      .toSorted((a, b) => compare(a.id, b.id)),
    leftOut,
    unknown: [...unknown.values()],
    unread,
  };
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** A node that can be reached, and whose selectors are known, replaces one of the same id. */
const key = ({ id, endpoint, in: own, from }: FoundNode): string =>
  `${id} ${endpoint === undefined ? 1 : 0} ${own === undefined ? 1 : 0} ${from}`;

const byStrength = (a: FoundEdge, b: FoundEdge): number =>
  EVIDENCE.indexOf(a.evidence) - EVIDENCE.indexOf(b.evidence) ||
  compare(`${a.node} ${a.on} ${a.from}`, `${b.node} ${b.on} ${b.from}`);

/** Whether a node depends on another, directly or through others. */
function leads(kept: ReadonlyMap<string, readonly FoundEdge[]>, from: string, to: string): boolean {
  const seen = new Set<string>();
  const waiting = [from];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (id === to) return true;
    if (seen.has(id)) continue;
    seen.add(id);
    for (const { on } of kept.get(id) ?? []) waiting.push(on);
  }
  return false;
}
