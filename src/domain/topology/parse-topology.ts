import { deriveAgents } from './derive-agents.js';
import type { Fault } from '../errors.js';
import { FaultList } from '../fault-list.js';
import { readNodes } from './read-nodes.js';
import { readPart } from '../read-part.js';
import { readTeams } from './read-teams.js';
import { teamFaults } from './team-faults.js';
import type { ToolFacts } from '../diagnosis/tool-result.js';
import { headSchema, KNOWN_KEYS, TOPOLOGY_BOUNDS } from './topology-schema.js';
import { isRecorded } from './recorded.js';
import { sketchTopology } from './topology-sketch.js';
import type { Topology } from './topology.js';

/**
 * From what a client or a file says (contract section 9) to the topology with everything filled in: `dependsOn` and
 * `attributes` present, agents given or derived. What is missing of the agents is derived on its own: without `teams` they
 * are derived under the given global supervisor, and without `globalSupervisor` one is derived over the given teams.
 *
 * All faults are reported at once, each with its path (`teams[0].workers[1].tools[0]`) and what is allowed there: those of
 * the shape and those across parts, the latter on whatever is well formed. Never throws, whatever the input; linear in it.
 * A resolved topology is itself a valid input, and parses to itself.
 *
 * @param tools those that workers may be given; a tool that does not apply to a worker's node is a fault
 */
export function parseTopology(
  input: unknown,
  tools: readonly ToolFacts[],
): { topology: Topology } | { faults: Fault[] } {
  const faults = new FaultList();
  const head = readPart(headSchema, input, [], KNOWN_KEYS, faults);
  const sketch = sketchTopology(input, TOPOLOGY_BOUNDS.nodes);
  const sources = head?.sources ?? [];
  const whole = readNodes(sketch.nodes, faults, isRecorded(sources));
  const teams = readTeams(sketch.teams, faults);
  teamFaults(sketch, { nodes: whole, sources }, tools, faults);
  if (head === undefined || faults.count > 0) return { faults: faults.all() };

  const { limits, globalSupervisor, teams: given, sources: _, ...rest } = head;
  const nodes = [...whole.values()];
  const agents = deriveAgents(
    { name: rest.name, nodes, globalSupervisor, teams: given && teams, sources },
    tools,
  );
  if (agents.teams.length === 0)
    return { faults: [{ path: 'nodes', message: nothingToDo(tools) }] };
  return {
    topology: {
      ...rest,
      nodes,
      ...agents,
      ...(limits === undefined ? {} : { limits }),
      ...(sources.length > 0 && { sources }),
    },
  };
}

const nothingToDo = (tools: readonly ToolFacts[]): string =>
  `nothing to diagnose: no tool applies to any of them; there are ${tools.map(({ name }) => name).join(', ') || 'none'}`;
