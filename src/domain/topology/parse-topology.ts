import { deriveAgents } from './derive-agents.js';
import type { Fault } from '../errors.js';
import { FaultList } from '../fault-list.js';
import { readNodes } from './read-nodes.js';
import { readPart } from '../read-part.js';
import { readTeams } from './read-teams.js';
import { sourceFaults } from './source-faults.js';
import { teamFaults } from './team-faults.js';
import type { ToolFacts } from '../diagnosis/tool-result.js';
import { TOPOLOGY_BOUNDS } from './schema/forms.js';
import { headSchema, KNOWN_KEYS } from './schema/topology-schema.js';
import { isRecorded } from './recorded.js';
import { sketchSources, sketchTopology } from './topology-sketch.js';
import { misspellings, NODE_KINDS } from './topology-warnings.js';
import type { Topology, TopologySource } from './topology.js';
import { allAtOnce, type Steps } from '../../lib/steps.js';

export type ParsedTopology = { topology: Topology } | { faults: Fault[] };

/**
 * Validates a topology from a client or a file (contract section 9) and fills in defaults:
 * `dependsOn`, `attributes` and missing agents. Without `teams`, they are derived under the given
 * global supervisor; without `globalSupervisor`, it is derived over the given teams.
 *
 * Reports all faults at once, each with its path (`teams[0].workers[1].tools[0]`) and what is
 * allowed: faults of the shape, and faults between the valid parts. Never throws; linear in the
 * input. The result is valid input and parses to itself.
 *
 * @param tools tools that workers may have; a tool that does not apply to a worker's node is a
 *   fault
 */
export const parseTopology = (input: unknown, tools: readonly ToolFacts[]): ParsedTopology =>
  allAtOnce(parsingSteps(input, tools));

/** {@link parseTopology} in steps, each of at most one node, worker or reference. */
export function* parsingSteps(input: unknown, tools: readonly ToolFacts[]): Steps<ParsedTopology> {
  const faults = new FaultList();
  const head = readPart(headSchema, input, [], { knownKeys: KNOWN_KEYS, faults });
  const sketch = sketchTopology(input, TOPOLOGY_BOUNDS.nodes);
  const sources = head ? (head.sources ?? []) : sketchSources(input);
  const whole = yield* readNodes(sketch.nodes, faults, isRecorded(sources));
  const teams = yield* readTeams(sketch.teams, faults);
  yield* sourceFaults(sketch.nodes, whole, sources, faults);
  yield* teamFaults(sketch, { nodes: whole, sources }, tools, faults);
  if (head === undefined || faults.count > 0) return { faults: faults.all() };

  const { limits, globalSupervisor, teams: given, sources: _, ...rest } = head;
  const nodes = [...whole.values()];
  const agents = yield* deriveAgents(
    { name: rest.name, nodes, globalSupervisor, teams: given && teams, sources },
    tools,
  );
  if (agents.teams.length === 0)
    return {
      faults: [
        isRecorded(sources)
          ? { path: 'sources', message: nothingRecorded(sources) }
          : { path: 'nodes', message: nothingToDo(input) },
      ],
    };
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

/** Changes alone do not show the state of a node. */
function nothingRecorded(sources: readonly TopologySource[]): string {
  const given = sources.flatMap(({ provides }) => provides);
  const rest = given.length === 0 ? '' : `, only ${given.join(', ')}`;
  return `cannot be diagnosed: nothing that shows the state of a node was recorded (metrics, logs, traces, Kubernetes objects, results of tools)${rest}`;
}

function nothingToDo(input: unknown): string {
  const faults = misspellings(input);
  const slips = faults.map(({ path, message }) => `; ${path}: ${message}`);
  const kinds = faults.some(({ path }) => path.endsWith('.kind'))
    ? ''
    : `; kinds with tools: ${NODE_KINDS.join(', ')}`;
  return `cannot be diagnosed: no tool can measure any of them${slips.slice(0, 3).join('')}${kinds}`;
}
