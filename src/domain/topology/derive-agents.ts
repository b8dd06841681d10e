import { groupNodes } from './group-nodes.js';
import type { ToolFacts } from '../diagnosis/tool-result.js';
import { TOPOLOGY_BOUNDS } from './topology-schema.js';
import type {
  AgentBinding,
  Team,
  TopologyNode,
  TopologySource,
  WorkerBinding,
} from './topology.js';
import { clip } from '../../lib/text.js';

/** The agents of a topology, and those parts of them that were given. */
export interface GivenAgents {
  name: string;
  nodes: readonly TopologyNode[];
  globalSupervisor?: AgentBinding | undefined;
  teams?: Team[] | undefined;
  sources?: readonly TopologySource[];
}

/**
 * Fills in the agents that a topology leaves out. Contract section 9. What is given stays as it is.
 *
 * A team for each group of nodes (see `groupNodes`) with a supervisor, and in it a worker for each node, with every tool
 * that applies to the node. A node to which none applies has no worker and will be reported as unchecked; a group in which
 * no worker is possible has no team. So `teams` is empty where no tool applies to any node.
 *
 * Deterministic. Agent ids count up from 1 in reading order (global supervisor, then each team's supervisor and workers),
 * passing over those that are taken.
 */
export function deriveAgents(
  given: GivenAgents,
  tools: readonly ToolFacts[],
): { globalSupervisor: AgentBinding; teams: Team[] } {
  const nextId = freeIds(given);
  const globalSupervisor = given.globalSupervisor ?? {
    agentId: nextId(),
    name: 'Global supervisor',
  };
  return { globalSupervisor, teams: given.teams ?? deriveTeams(given, tools, nextId) };
}

function deriveTeams(
  given: GivenAgents,
  tools: readonly ToolFacts[],
  nextId: () => string,
): Team[] {
  const teamName = freeNames();
  return groupNodes(given.nodes, given.name).flatMap((group) => {
    const able = group.nodes.map((node) => ({
      node,
      tools: tools
        .filter((tool) => tool.scope !== 'topology' && tool.appliesTo(node, given.sources))
        .map(({ name }) => name),
    }));
    const workable = able.filter((entry) => entry.tools.length > 0);
    if (workable.length === 0) return [];
    const name = teamName(group.name);
    const supervisor = { agentId: nextId(), name: withSuffix(name, ' supervisor') };
    const workerName = freeNames();
    const workers = workable.map((entry): WorkerBinding => {
      const { node } = entry;
      return {
        agentId: nextId(),
        name: workerName(withSuffix(node.name, ' worker')),
        node: node.id,
        tools: entry.tools,
      };
    });
    return [{ name, nodes: group.nodes.map(({ id }) => id), supervisor, workers }];
  });
}

function freeIds(given: GivenAgents): () => string {
  const agents = [
    given.globalSupervisor,
    ...(given.teams ?? []).flatMap(({ supervisor, workers }) => [supervisor, ...workers]),
  ];
  const taken = new Set(agents.map((agent) => agent?.agentId));
  let last = 0;
  return () => {
    do last += 1;
    while (taken.has(String(last)));
    return String(last);
  };
}

/** Makes a name unique by a number after it: "api worker", "api worker 2". Counts per name, so that many alike stay linear. */
function freeNames(): (wanted: string) => string {
  const taken = new Set<string>();
  const counts = new Map<string, number>();
  return (wanted) => {
    let count = counts.get(wanted) ?? 1;
    let name = wanted;
    while (taken.has(name)) {
      count += 1;
      name = withSuffix(wanted, ` ${count}`);
    }
    counts.set(wanted, count);
    taken.add(name);
    return name;
  };
}

/** Within the bound that a name must keep: a derived topology is a valid input. */
function withSuffix(name: string, suffix: string): string {
  return clip(name.trim(), TOPOLOGY_BOUNDS.text - suffix.length) + suffix;
}
