import type { FaultList } from '../fault-list.js';
import type { ToolFacts } from '../diagnosis/tool-result.js';
import type { TopologySketch, WorkerSketch } from './topology-sketch.js';
import type { TopologyNode, TopologySource } from './topology.js';
import type { Steps } from '../../lib/steps.js';
import { allowed, quote } from '../../lib/text.js';

interface KnownParts {
  nodes: ReadonlyMap<string, TopologyNode>;
  sources: readonly TopologySource[];
}

/** Faults between teams, agents, nodes and tools. `known`: the valid nodes, and the sources. */
export function* teamFaults(
  sketch: TopologySketch,
  { nodes: whole, sources }: KnownParts,
  tools: readonly ToolFacts[],
  faults: FaultList,
): Steps<void> {
  const known = new Set(sketch.nodes.flatMap(({ id }) => (id === undefined ? [] : [id])));
  const nodeIds = [...known];
  // If the list of nodes is missing, that is the fault, and not each reference to a node.
  const unknown = (node: string): boolean => known.size > 0 && !known.has(node);
  const toolsByName = new Map(tools.map((tool) => [tool.name, tool]));
  const agentIds = unique('the id of the agent');
  const teamNames = unique('the name of');

  agentIds(sketch.globalSupervisorId, 'globalSupervisor', 'globalSupervisor.agentId', faults);
  for (const [index, team] of sketch.teams.entries()) {
    if (faults.isFull) break;
    const path = `teams[${index}]`;
    teamNames(team.name, path, `${path}.name`, faults);
    agentIds(team.supervisorId, `${path}.supervisor`, `${path}.supervisor.agentId`, faults);
    const members = unique('the node at');
    for (const [position, node] of team.nodes.entries()) {
      yield;
      const at = `${path}.nodes[${position}]`;
      if (node !== undefined && unknown(node))
        faults.add(at, () => `there is no node ${quote(node)}; ${allowed(node, nodeIds)}`);
      else members(node, at, at, faults);
    }
    const inTeam = new Set(team.nodes);
    const workerNames = unique('the name of');
    for (const [position, worker] of team.workers.entries()) {
      if (faults.isFull) break;
      yield;
      const at = `${path}.workers[${position}]`;
      agentIds(worker.agentId, at, `${at}.agentId`, faults);
      workerNames(worker.name, at, `${at}.name`, faults);
      const { node } = worker;
      if (node !== undefined && unknown(node))
        faults.add(
          `${at}.node`,
          () => `there is no node ${quote(node)}; ${allowed(node, nodeIds)}`,
        );
      else if (node !== undefined && inTeam.size > 0 && !inTeam.has(node)) {
        const own = team.nodes.filter((name) => name !== undefined);
        faults.add(
          `${at}.node`,
          () => `${quote(node)} is not a node of this team; ${allowed(node, own)}`,
        );
      }
      const place = fits(whole.get(node ?? ''), sources);
      yield* toolFaults(worker, at, place, { tools: toolsByName, faults });
    }
  }
}

const fits = (node: TopologyNode | undefined, sources: readonly TopologySource[]) =>
  node && { node, fit: (tool: ToolFacts) => tool.appliesTo(node, sources) };

function* toolFaults(
  worker: WorkerSketch,
  path: string,
  place: { node: TopologyNode; fit: (tool: ToolFacts) => boolean } | undefined,
  { tools, faults }: { tools: ReadonlyMap<string, ToolFacts>; faults: FaultList },
): Steps<void> {
  const seen = unique('the tool at');
  for (const [position, name] of worker.tools.entries()) {
    yield;
    const at = `${path}.tools[${position}]`;
    const tool = name === undefined ? undefined : tools.get(name);
    if (name !== undefined && tool === undefined)
      faults.add(at, () => `there is no tool ${quote(name)}; ${allowed(name, [...tools.keys()])}`);
    else if (tool !== undefined && place !== undefined && !place.fit(tool)) {
      const able = [...tools.values()].filter(place.fit).map((other) => other.name);
      faults.add(
        at,
        () =>
          `${tool.name} does not apply to a node of kind ${quote(place.node.kind)}; ${allowed(tool.name, able)}`,
      );
    } else seen(name, at, at, faults);
  }
}

/** Remembers where a value occurred first and reports each repetition. */
function unique(
  what: string,
): (value: string | undefined, owner: string, path: string, faults: FaultList) => void {
  const owners = new Map<string, string>();
  return (value, owner, path, faults) => {
    if (value === undefined) return;
    const first = owners.get(value);
    if (first === undefined) owners.set(value, owner);
    else faults.add(path, () => `${quote(value)} is already ${what} ${first}`);
  };
}
