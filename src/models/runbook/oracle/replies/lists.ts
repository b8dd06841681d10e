import { needsOf } from '../../../../domain/topology/needs-of.js';
import { count, list } from '../../plan.js';
import type { TopologyRow, DiagnosisRow, Shape } from '../facts.js';
import { nameOf, sentence, timeText } from './report.js';

type Node = Shape['nodes'][number];

/** Lists the dependencies of the nodes that a question names, or of all nodes. */
export function shapeText(asked: readonly Node[], shape: Shape): string {
  const names = (ids: readonly string[]) => list(ids.map((id) => nameOf({ shape }, id)));
  if (asked.length === 0) {
    const line = ({ name, kind, dependsOn }: Node) =>
      `- ${name} (${kind})${dependsOn.length > 0 ? `, depends on ${names(dependsOn)}` : ''}`;
    return `Topology ${shape.id} (${shape.name}) has ${count(shape.nodes.length, 'node')}:\n${shape.nodes.map(line).join('\n')}`;
  }
  const lines = asked.map((node) => {
    const { id, name, dependsOn } = node;
    const below = needsOf(shape.nodes, id).filter((each) => !dependsOn.includes(each));
    const needs =
      dependsOn.length === 0
        ? `${name} depends on nothing.`
        : `${name} depends on ${names(dependsOn)}${below.length > 0 ? `, and through that on ${names(below)}` : ''}.`;
    return `${dependentsText(node, shape)} ${needs}`;
  });
  return `${lines.join('\n')}\nTopology ${shape.id} (${shape.name}).`;
}

/** Says which nodes depend on a node. */
export function dependentsText({ id, name }: Node, shape: Shape): string {
  const names = (ids: readonly string[]) => list(ids.map((each) => nameOf({ shape }, each)));
  const direct = shape.nodes.filter((node) => node.dependsOn.includes(id)).map((node) => node.id);
  const further = shape.nodes
    .filter((node) => !direct.includes(node.id) && needsOf(shape.nodes, node.id).includes(id))
    .map((node) => node.id);
  return direct.length === 0
    ? `Nothing depends on ${name}.`
    : `${names(direct)} ${direct.length === 1 ? 'depends' : 'depend'} on ${name}${further.length > 0 ? `, and through that ${names(further)}` : ''}.`;
}

export function topologiesText(topologies: readonly TopologyRow[]): string {
  if (topologies.length === 0)
    return 'There is no topology yet: POST one to /api/service/v1/topologies.';
  return `There ${topologies.length === 1 ? 'is one topology' : `are ${topologies.length} topologies`}:\n${topologyLines(topologies)}`;
}

/** Each topology in an item of a list. */
export const topologyLines = (topologies: readonly TopologyRow[]): string =>
  topologies.map(({ id, name, nodes }) => `- ${id}: ${name} (${count(nodes, 'node')})`).join('\n');

/** Lists the rows that match a topology and a status. Undefined matches any. */
export function rowsText(
  rows: readonly DiagnosisRow[],
  topologyId: number | undefined,
  status: string | undefined,
): string {
  const whose = ofTopology(topologyId);
  const isOne = rows.length === 1;
  const which = status === undefined ? '' : ` that ${stateText(status, isOne)}`;
  if (rows.length === 0)
    return status === undefined
      ? `There is no diagnosis${whose} yet. Ask me to "diagnose topology ${topologyId ?? 'N'}".`
      : `No diagnosis${whose} ${stateText(status, true)}.`;
  return `The last ${isOne ? 'diagnosis' : `${rows.length} diagnoses`}${whose}${which}:\n${rowLines(rows)}`;
}

/** Says how many diagnoses there are. */
export function countText(
  found: number,
  topologyId: number | undefined,
  status: string | undefined,
): string {
  const which = status === undefined ? '' : ` that ${stateText(status, found === 1)}`;
  const what = found === 1 ? 'diagnosis' : 'diagnoses';
  return `There ${found === 1 ? 'is' : 'are'} ${countedText(found)} ${what}${ofTopology(topologyId)}${which}.`;
}

/** Maximum of diagnoses that are counted. */
const MOST_COUNTED = 5_000;

/** A number of diagnoses that were counted. */
export const countedText = (found: number): string =>
  found < MOST_COUNTED ? `${found}` : `at least ${found}`;

export const ofTopology = (id: number | undefined): string =>
  id === undefined ? '' : ` of topology ${id}`;

/** Says that runs have a status: "failed", "was cancelled", "are running". */
function stateText(status: string, isOne: boolean): string {
  if (status === 'failed') return isOne ? 'has failed' : 'have failed';
  if (status === 'completed') return isOne ? 'has completed' : 'have completed';
  if (status === 'cancelled') return isOne ? 'was cancelled' : 'were cancelled';
  return `${isOne ? 'is' : 'are'} ${status}`;
}

/** Each run in an item of a list. */
export const rowLines = (rows: readonly DiagnosisRow[]): string =>
  rows
    .map(
      ({ run_id, topology_id, topology_name, status, created_at, summary }) =>
        `- ${timeText(created_at)}, topology ${topology_id} (${topology_name}), ${status}: ${sentence(summary ?? 'no result yet')} Run ${run_id}.`,
    )
    .join('\n');
