import { z } from 'zod';
import type { AgentBinding, Topology } from '../domain/topology/topology.js';
import { topologyCard } from './topology-views.js';

const agent = z.object({
  /** The `agentId` as a number, or null. */
  boundId: z.int().nullable(),
  agentId: z.string(),
  agentName: z.string(),
  agentRole: z.enum(['GLOBAL_SUPERVISOR', 'TEAM_SUPERVISOR', 'WORKER']),
});
type Agent = z.infer<typeof agent>;

/** `POST /agent-bounds/query-hierarchy` */
export const agentHierarchy = z.object({
  topologyId: z.int(),
  topologyName: z.string(),
  globalSupervisor: agent,
  teams: z.array(
    z.object({
      nodeId: z.string(),
      nodeName: z.string(),
      supervisor: agent,
      workers: z.array(agent),
    }),
  ),
});

/** `POST /topologies/query` */
export const topologyQueryPage = z.object({
  items: z.array(topologyCard),
  page: z.int(),
  size: z.int(),
  total: z.int(),
});

/** `POST /topologies/graph/query` */
export const topologyGraph = z.object({
  topologyId: z.int(),
  nodes: z.array(z.object({ id: z.string(), name: z.string(), kind: z.string() })),
  relationships: z.array(
    z.object({ source: z.string(), target: z.string(), type: z.literal('DEPENDS_ON') }),
  ),
});

const agentOf = (
  { agentId, name }: Pick<AgentBinding, 'agentId' | 'name'>,
  agentRole: Agent['agentRole'],
): Agent => {
  const boundId = /^\d{1,15}$/.test(agentId) ? Number(agentId) : null;
  return { boundId, agentId, agentName: name, agentRole };
};

/** The agents of a topology. A team has the node of its first worker, under the team's name. */
export function hierarchyOf({
  id,
  name,
  globalSupervisor,
  teams,
}: Topology): z.infer<typeof agentHierarchy> {
  return {
    topologyId: id,
    topologyName: name,
    globalSupervisor: agentOf(globalSupervisor, 'GLOBAL_SUPERVISOR'),
    teams: teams.map((team) => ({
      nodeId: team.nodes[0] ?? '',
      nodeName: team.name,
      supervisor: agentOf(team.supervisor, 'TEAM_SUPERVISOR'),
      workers: team.workers.map((worker) => agentOf(worker, 'WORKER')),
    })),
  };
}

/** Nodes and their dependencies. */
export function graphOf({ id: topologyId, nodes }: Topology): z.infer<typeof topologyGraph> {
  return {
    topologyId,
    nodes: nodes.map(({ id, name, kind }) => ({ id, name, kind })),
    relationships: nodes.flatMap(({ id: source, dependsOn }) =>
      dependsOn.map((target) => ({ source, target, type: 'DEPENDS_ON' as const })),
    ),
  };
}
