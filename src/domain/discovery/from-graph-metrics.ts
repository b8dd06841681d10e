import type { FoundEdge, FoundNode } from './draft.js';

/** A value that an expression has, with its labels. */
interface Sample {
  labels: Readonly<Record<string, string>>;
  value: number;
}

/** Metrics of calls between services, with the labels of both ends. */
export const GRAPH_METRICS = [
  {
    name: 'traces_service_graph_request_total',
    expression:
      'sum by (client, server, connection_type) (increase(traces_service_graph_request_total[1h])) > 0',
    client: 'client',
    server: 'server',
  },
  {
    name: 'istio_requests_total',
    expression:
      'sum by (source_workload, destination_service_name) (increase(istio_requests_total{reporter="destination"}[1h])) > 0',
    client: 'source_workload',
    server: 'destination_service_name',
  },
] as const;

/** The jobs that are scraped: nodes of the same name select from them. */
export const JOBS = 'count by (job) (up)';

const KINDS: Readonly<Record<string, string>> = { messaging_system: 'queue', database: 'database' };

/**
 * Services and their calls in the last hour, as the service graph connector of OpenTelemetry, Tempo
 * and Istio count them.
 * @param graphs samples of each of {@link GRAPH_METRICS}
 */
export function foundInMetrics(
  graphs: readonly (readonly Sample[])[],
  jobs: readonly Sample[],
  source: string,
): { nodes: FoundNode[]; edges: FoundEdge[] } {
  const known = new Set(jobs.flatMap(({ labels }) => labels['job'] ?? []));
  const nodes: FoundNode[] = [];
  const edges: FoundEdge[] = [];
  GRAPH_METRICS.forEach(({ name, client, server }, index) => {
    for (const { labels, value } of graphs[index] ?? []) {
      const [node = '', on = ''] = [labels[client], labels[server]];
      if ([node, on].some((id) => id === '' || id === 'unknown' || id === 'user')) continue;
      const kind = KINDS[labels['connection_type'] ?? ''] ?? 'service';
      nodes.push(nodeOf(node, 'service', { known, source, name }));
      nodes.push(nodeOf(on, kind, { known, source, name }));
      edges.push({
        node,
        on,
        evidence: 'metric',
        from: `${name}, ${Math.round(value)} in an hour`,
      });
    }
  });
  return { nodes, edges };
}

function nodeOf(
  id: string,
  kind: string,
  { known, source, name }: { known: ReadonlySet<string>; source: string; name: string },
): FoundNode {
  const selector = { [source]: `job=${JSON.stringify(id)}` };
  return { id, kind, ...(known.has(id) && { in: selector }), from: name };
}
