import type { AgentBinding, Topology } from './topology.js';

// Type aliases instead of interfaces: they are part of an event's payload, which must be assignable
// to JSON.
export type HierarchyAgent = {
  agent_id: string;
  agent_name: string;
  model?: string;
  behaviour?: string;
};
export type HierarchyWorker = HierarchyAgent & { node: string; tools: string[] };
export type HierarchyTeam = {
  team_name: string;
  supervisor: HierarchyAgent;
  nodes: string[];
  workers: HierarchyWorker[];
};
export type HierarchyNode = { id: string; name: string; kind: string; depends_on: string[] };
export type Hierarchy = {
  topology_id: number;
  version: number;
  global_supervisor: HierarchyAgent;
  teams: HierarchyTeam[];
  nodes: HierarchyNode[];
};

/**
 * The payload of `system.topology`: which agents check which nodes, in the version of the run.
 * Without endpoints, attributes or prompts (contract section 2).
 */
export function hierarchy(topology: Topology, version: number): Hierarchy {
  return {
    topology_id: topology.id,
    version,
    global_supervisor: agent(topology.globalSupervisor),
    teams: topology.teams.map((team) => ({
      team_name: team.name,
      supervisor: agent(team.supervisor),
      nodes: team.nodes,
      workers: team.workers.map((worker) => ({
        ...agent(worker),
        node: worker.node,
        tools: worker.tools,
      })),
    })),
    nodes: topology.nodes.map(({ id, name, kind, dependsOn }) => ({
      id,
      name,
      kind,
      depends_on: dependsOn,
    })),
  };
}

/** The part of a topology that `system.topology` contains. */
export function shownTopology({
  topology_id,
  version: _,
  global_supervisor,
  teams,
  nodes,
}: Hierarchy): Topology {
  return {
    id: topology_id,
    name: '',
    nodes: nodes.map(({ id, name, kind, depends_on }) => ({
      id,
      name,
      kind,
      dependsOn: depends_on,
      attributes: {},
    })),
    globalSupervisor: binding(global_supervisor),
    teams: teams.map((team) => ({
      name: team.team_name,
      nodes: team.nodes,
      supervisor: binding(team.supervisor),
      workers: team.workers.map((worker) => ({
        ...binding(worker),
        node: worker.node,
        tools: worker.tools,
      })),
    })),
  };
}

const binding = ({ agent_id, agent_name, model, behaviour }: HierarchyAgent): AgentBinding => ({
  agentId: agent_id,
  name: agent_name,
  ...(model === undefined ? {} : { model }),
  ...(behaviour === undefined ? {} : { behaviour }),
});

function agent({ agentId, name, model, behaviour }: AgentBinding): HierarchyAgent {
  return {
    agent_id: agentId,
    agent_name: name,
    ...(model === undefined ? {} : { model }),
    ...(behaviour === undefined ? {} : { behaviour }),
  };
}
