import type { AgentType, Source } from '../../domain/events/event.js';
import { topOf, type RunSpec } from '../../domain/run.js';
import type {
  AgentBinding,
  Team,
  Topology,
  WorkerBinding,
} from '../../domain/topology/topology.js';

/** A binding with its position in its topology. */
export interface AgentPlace {
  type: AgentType;
  binding: AgentBinding;
  team: Team | null;
  worker: WorkerBinding | null;
  source: Source;
}

/** The position of an agent in its run: in its topology, or as the oracle of a chat. */
export function placeIn(spec: RunSpec, agentId: string): AgentPlace | undefined {
  if (!spec.chat) return placeOf(spec.topology, agentId);
  const binding = topOf(spec);
  if (agentId !== binding.agentId) return undefined;
  const source = {
    agent_id: agentId,
    agent_type: 'oracle' as const,
    agent_name: binding.name,
    team_name: null,
  };
  return { type: 'oracle', binding, team: null, worker: null, source };
}

/** The position of an agent in a topology. */
export function placeOf(topology: Topology, agentId: string): AgentPlace | undefined {
  const place = (
    type: AgentPlace['type'],
    binding: AgentBinding,
    team: Team | null,
    worker: WorkerBinding | null,
  ): AgentPlace => ({
    type,
    binding,
    team,
    worker,
    source: {
      agent_id: binding.agentId,
      agent_type: type,
      agent_name: binding.name,
      team_name: team?.name ?? null,
    },
  });
  if (topology.globalSupervisor.agentId === agentId)
    return place('global_supervisor', topology.globalSupervisor, null, null);
  for (const team of topology.teams) {
    if (team.supervisor.agentId === agentId)
      return place('team_supervisor', team.supervisor, team, null);
    const worker = team.workers.find((candidate) => candidate.agentId === agentId);
    if (worker) return place('worker', worker, team, worker);
  }
  return undefined;
}
