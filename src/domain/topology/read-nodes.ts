import { attributeFaults, processFaults, requestFaults } from './attribute-faults.js';
import { endpointFault } from './endpoint-fault.js';
import type { FaultList } from '../fault-list.js';
import { findCycles } from './find-cycles.js';
import { readPart } from '../read-part.js';
import { KNOWN_KEYS, nodeSchema } from './schema/topology-schema.js';
import { sketchPlace, type NodeSketch, type PlaceSketch } from './topology-sketch.js';
import type { TopologyNode } from './topology.js';
import type { Steps } from '../../lib/steps.js';
import { allowed, clip, quote } from '../../lib/text.js';

const CYCLES = 100;
const CYCLE_SHOWN = 60;

/**
 * Reads the nodes and reports all their faults, including those between them.
 * @param recorded nodes of a recorded incident may lack endpoints, and their dependencies may form
 *   cycles
 * @returns the nodes without a fault, with defaults, by id
 */
export function* readNodes(
  nodes: readonly NodeSketch[],
  faults: FaultList,
  recorded: boolean,
): Steps<Map<string, TopologyNode>> {
  const indexes = new Map<string, number>();
  const whole = new Map<string, TopologyNode>();
  for (const [index, sketch] of nodes.entries()) {
    if (faults.isFull) break;
    yield;
    const node = readNode(sketch, index, faults, recorded);
    const { id } = sketch;
    if (id === undefined) continue;
    const first = indexes.get(id);
    if (first !== undefined) {
      faults.add(
        `nodes[${index}].id`,
        () => `${quote(id)} is already the id of nodes[${first}]; ids are unique`,
      );
      continue;
    }
    indexes.set(id, index);
    if (node !== undefined) whole.set(id, node);
  }
  yield* dependencyFaults(nodes, indexes, faults, recorded);
  return whole;
}

function readNode(
  { raw }: NodeSketch,
  index: number,
  faults: FaultList,
  recorded: boolean,
): TopologyNode | undefined {
  const before = faults.count;
  const read = readPart(nodeSchema, raw, ['nodes', index], { knownKeys: KNOWN_KEYS, faults });
  // A fault of the shape does not hide faults of the endpoint or the attributes.
  const place = read ?? sketchPlace(raw);
  if (place !== undefined) placeFaults(place, `nodes[${index}]`, faults, recorded);
  if (read === undefined || faults.count > before) return undefined;
  const { dependsOn = [], attributes = {}, ...node } = read;
  // `attributeFaults` has just checked that they are JSON.
  return { ...node, dependsOn, attributes: attributes as TopologyNode['attributes'] };
}

/** Adds the faults of the endpoint and the attributes of a node of its kind. */
function placeFaults(place: PlaceSketch, path: string, faults: FaultList, recorded: boolean): void {
  const { kind, endpoint } = place;
  // A node of a recorded incident is not probed, and one that selects from a source uses the
  // source's address.
  const isUnneeded = recorded || place.in !== undefined;
  if (endpoint !== undefined || !('endpoint' in place || isUnneeded)) {
    const wrong = endpointFault(kind, endpoint);
    if (wrong !== undefined) faults.add(`${path}.endpoint`, wrong);
  }
  if ('attributes' in place && place.attributes === undefined) return;
  const { attributes = {} } = place;
  attributeFaults(attributes, `${path}.attributes`, faults);
  requestFaults(attributes as Record<string, unknown>, `${path}.attributes`, faults);
  if (!recorded)
    processFaults(kind, attributes as Record<string, unknown>, `${path}.attributes`, faults);
}

function* dependencyFaults(
  nodes: readonly NodeSketch[],
  indexes: ReadonlyMap<string, number>,
  faults: FaultList,
  cyclesAllowed: boolean,
): Steps<void> {
  const ids = [...indexes.keys()];
  const edges: number[][] = [];
  for (const [index, { id, dependsOn }] of nodes.entries()) {
    const targets = new Set<number>();
    for (const [position, target] of dependsOn.entries()) {
      if (target === undefined || faults.isFull) continue;
      yield;
      const path = `nodes[${index}].dependsOn[${position}]`;
      const at = indexes.get(target);
      if (target === id) faults.add(path, () => `${quote(target)} depends on itself`);
      else if (at === undefined)
        faults.add(
          path,
          () =>
            `there is no node ${quote(target)}; ${allowed(
              target,
              ids.filter((each) => each !== id),
            )}`,
        );
      else if (targets.has(at)) faults.add(path, () => `${quote(target)} is named twice`);
      else targets.add(at);
    }
    edges.push([...targets]);
  }
  if (cyclesAllowed) return;
  for (const cycle of findCycles(edges, CYCLES)) {
    const last = cycle.at(-1) ?? 0;
    const position = nodes[last]?.dependsOn.indexOf(nodes[cycle[0] ?? 0]?.id);
    faults.add(
      `nodes[${last}].dependsOn[${position}]`,
      () => `closes a cycle of dependencies: ${walk(cycle, nodes)}`,
    );
  }
}

/** The whole cycle with its first node repeated at the end; a very long one is shortened. */
function walk(cycle: readonly number[], nodes: readonly NodeSketch[]): string {
  const names = [...cycle, cycle[0] ?? 0].map((index) => clip(nodes[index]?.id ?? '', 80));
  const half = CYCLE_SHOWN / 2;
  const left = names.length - CYCLE_SHOWN;
  return (
    left <= 0 ? names : [...names.slice(0, half), `… (${left} more)`, ...names.slice(-half)]
  ).join(' → ');
}
