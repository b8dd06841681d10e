import { useQuery } from '@tanstack/react-query';
import { runQuery, runsQuery } from '../../api/queries.js';
import type { RunDetail, Topology } from '../../api/types.js';
import type { GraphNode } from '../../run/graph/graph-node.js';

/**
 * The last diagnosis of a topology that has ended, with its report; null if there is none, as of a
 * new topology, which has no id yet; undefined while it is not known.
 */
export function useLastReport(topologyId: number | undefined): RunDetail | null | undefined {
  const query = runsQuery({ topologyId, kind: 'diagnosis', limit: 12 });
  const runs = useQuery({ ...query, enabled: topologyId !== undefined }).data?.items;
  const ended = runs?.find((run) => run.endedAt !== null);
  const last = useQuery({ ...runQuery(ended?.runId ?? ''), enabled: ended !== undefined }).data;
  const hasNone = topologyId === undefined || (runs !== undefined && ended === undefined);
  return hasNone ? null : last;
}

export const graphNodesOf = (topology: Topology | undefined): GraphNode[] =>
  (topology?.nodes ?? []).map(({ id, name, kind, dependsOn = [] }) => ({
    id,
    name,
    kind,
    dependsOn,
  }));
