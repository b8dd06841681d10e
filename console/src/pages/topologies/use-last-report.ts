import { useQuery } from '@tanstack/react-query';
import { runQuery, runsQuery } from '../../api/queries.js';
import type { RunDetail, Topology } from '../../api/types.js';
import type { GraphNode } from '../../run/graph/graph-node.js';

/**
 * The last diagnosis of a topology that has ended, with its report; none of a new topology, which
 * has no id yet.
 */
export function useLastReport(topologyId: number | undefined): RunDetail | undefined {
  const query = runsQuery({ topologyId, kind: 'diagnosis', limit: 12 });
  const runs = useQuery({ ...query, enabled: topologyId !== undefined }).data?.items ?? [];
  const ended = runs.find((run) => run.endedAt !== null);
  return useQuery({ ...runQuery(ended?.runId ?? ''), enabled: ended !== undefined }).data;
}

export const graphNodesOf = (topology: Topology | undefined): GraphNode[] =>
  (topology?.nodes ?? []).map(({ id, name, kind, dependsOn = [] }) => ({
    id,
    name,
    kind,
    dependsOn,
  }));
