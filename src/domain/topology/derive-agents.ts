import { groupNodes } from './group-nodes.js';
import type { ToolFacts } from '../diagnosis/tool-result.js';
import { TOPOLOGY_BOUNDS } from './schema/forms.js';
import type {
  AgentBinding,
  Team,
  TopologyNode,
  TopologySource,
  WorkerBinding,
} from './topology.js';
import type { Steps } from '../../lib/steps.js';
import { clip } from '../../lib/text.js';

/** The agents of a topology, and the given parts of them. */
export interface GivenAgents {
  name: string;
  nodes: readonly TopologyNode[];
  globalSupervisor?: AgentBinding | undefined;
  teams?: Team[] | undefined;
  sources?: readonly TopologySource[];
}

/**
 * Derives the missing agents of a topology (contract section 9). Given agents do not change.
 *
 * Each group of nodes (see `groupNodes`) gets a team with a supervisor, and each of its nodes a
 * worker with every tool that applies to the node, which also reaches what the node depends on. A
 * node without a tool has no worker and is reported as unchecked; a group without workers has no
 * team. `teams` is empty if no tool applies to any node.
 *
 * Deterministic. Agent ids count up from 1 in reading order (global supervisor, then supervisor and
 * workers of each team) and skip given ids.
 */
export function* deriveAgents(
  given: GivenAgents,
  tools: readonly ToolFacts[],
): Steps<{ globalSupervisor: AgentBinding; teams: Team[] }> {
  const nextId = freeIds(given);
  const globalSupervisor = given.globalSupervisor ?? {
    agentId: nextId(),
    name: 'Global supervisor',
  };
  return { globalSupervisor, teams: given.teams ?? (yield* deriveTeams(given, tools, nextId)) };
}

function* deriveTeams(
  given: GivenAgents,
  tools: readonly ToolFacts[],
  nextId: () => string,
): Steps<Team[]> {
  const teamName = freeNames();
  const teams: Team[] = [];
  for (const group of groupNodes(given.nodes, given.name)) {
    const workable: { node: TopologyNode; tools: string[] }[] = [];
    for (const node of group.nodes) {
      yield;
      const able = tools.filter(
        (tool) => (tool.scope ?? 'node') === 'node' && tool.appliesTo(node, given.sources),
      );
      if (able.length > 0) workable.push({ node, tools: able.map((tool) => tool.name) });
    }
    if (workable.length === 0) continue;
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
        reach: 'dependencies',
      };
    });
    teams.push({ name, nodes: group.nodes.map(({ id }) => id), supervisor, workers });
  }
  return teams;
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

/**
 * Makes names unique with a number: "api worker", "api worker 2". Counts per name, which keeps it
 * linear.
 */
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

/** Keeps the maximum length of a name, so that a derived topology is valid input. */
function withSuffix(name: string, suffix: string): string {
  return clip(name.trim(), TOPOLOGY_BOUNDS.text - suffix.length) + suffix;
}
