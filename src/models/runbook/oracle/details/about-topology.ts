import { needsOf } from '../../../../domain/topology/needs-of.js';
import { nodesIn } from '../../../../domain/topology/names-in-text.js';
import { list } from '../../plan.js';
import type { AnswerInput } from '../answer-input.js';
import { explain } from '../answers/answers.js';
import { NoAnswerError, type Shape } from '../facts.js';
import { asksYesOrNo } from '../measured/expectation.js';
import { nameOf } from '../replies/report.js';
import { shapeText } from '../replies/lists.js';
import { NO_RELATION } from '../answers/others.js';
import { findRun, needTopology, topologiesNamed } from '../subject/subject.js';

type Node = Shape['nodes'][number];

const shapeFor = (asked: AnswerInput): Shape =>
  asked.facts.shape(needTopology(asked, 'Of which topology?'));

const topologyLine = ({ id, name }: Shape): string => `Topology ${id} (${name}).`;

/** Asks which nodes depend on the node that was discussed, or on which it depends. */
export const USES_IT =
  /\b(?:what|who|which \w+) (?:uses?|needs?|calls?|requires?|relies on|talks? to|connects? to) (?:it|this|that|them)\b|\bwhat (?:does|do) (?:it|this|that|they) (?:use|need|call|require|rely on|talk to|connect to)\b/;

/**
 * Returns the nodes in question with what depends on them: those that it names; for "it", the root
 * causes of what was discussed.
 */
export function shape(asked: AnswerInput): string {
  if (asksYesOrNo(asked.question.asks) && topologiesNamed(asked).length > 1) return NO_RELATION;
  const found = shapeFor(asked);
  const named = nodesIn(asked.question.names, found);
  const [front = ''] = asked.question.text.split(DEPENDS);
  const [one] = nodesIn(front, found);
  const [other, ...more] = named.filter(({ id }) => id !== one?.id);
  if (one && other && more.length === 0 && asksYesOrNo(asked.question.asks))
    return `${dependsText(one, other, found)}\n${topologyLine(found)}`;
  const isOfRun = named.length === 0 && asked.before.runId !== undefined;
  const isOfCauses = isOfRun && /\b(?:it|this|that|them)\b/.test(asked.question.asks);
  const causes = isOfCauses ? (findRun(asked).run.report?.root_causes ?? []) : [];
  const meant = found.nodes.filter(({ id }) => causes.some(({ node }) => node === id));
  const nodes = named.length > 0 ? named : meant;
  if (nodes.length === 0 && USES_IT.test(asked.question.asks))
    throw new NoAnswerError(`Which node do you mean? ${shapeText([], found)}`);
  return shapeText(nodes, found);
}

const DEPENDS = /\b(?:depend\w*|needs?|uses?|calls?|requires?|rel(?:y|ies)|talks?|connects?)\b/;

/** Says whether one node depends on another one, and over which. */
function dependsText(one: Node, other: Node, shape: Shape): string {
  const way = wayTo(shape.nodes, one, other.id)?.map((id) => nameOf({ shape }, id));
  if (way) return `Yes: ${way.join(' → ')}, where each depends on the next.`;
  const isReverse = wayTo(shape.nodes, other, one.id) !== undefined;
  return `No: ${one.name} does not depend on ${other.name}${isReverse ? `, but ${other.name} depends on ${one.name}` : ''}.`;
}

/** Names the kinds of nodes. */
export function kinds(asked: AnswerInput): string {
  const shape = shapeFor(asked);
  const nodes = nodesIn(asked.question.names, shape);
  return nodes.length === 0
    ? shapeText([], shape)
    : [...nodes.map((node) => kindText(node, asked.question.asks)), topologyLine(shape)].join('\n');
}

function kindText({ name, kind }: Node, asks: string): string {
  const [, meant] = /^\W*(?:is|are) \S+ an? (\w+)\W*$/.exec(asks) ?? [];
  const judgement = meant === undefined ? '' : meant === kind.toLowerCase() ? 'Yes. ' : 'No. ';
  return `${judgement}${name} is of kind ${kind}.`;
}

/** Says by which dependencies one node reaches another one. */
export function path(asked: AnswerInput): string {
  const shape = shapeFor(asked);
  const [one, other, ...more] = nodesIn(asked.question.names, shape);
  if (!one || !other || more.length > 0)
    return `Name two nodes to get the path between them.\n${shapeText([], shape)}`;
  const way = wayTo(shape.nodes, one, other.id) ?? wayTo(shape.nodes, other, one.id);
  const names = way?.map((id) => nameOf({ shape }, id));
  return [
    names
      ? `${names.join(' → ')}: each depends on the next.`
      : `Neither ${one.name} nor ${other.name} depends on the other.`,
    topologyLine(shape),
  ].join('\n');
}

/** The shortest way along dependencies; undefined if there is none. */
function wayTo(nodes: readonly Node[], from: Node, to: string): string[] | undefined {
  if (!needsOf(nodes, from.id).includes(to)) return undefined;
  const ways: string[][] = [[from.id]];
  const seen = new Set([from.id]);
  for (const way of ways) {
    const last = nodes.find(({ id }) => id === way.at(-1));
    if (last?.id === to) return way;
    const next = (last?.dependsOn ?? []).filter((id) => !seen.has(id));
    for (const id of next) {
      seen.add(id);
      ways.push([...way, id]);
    }
  }
  return undefined;
}

/** Lists the teams of a topology, or those of the nodes that a question names. */
export function teams(asked: AnswerInput): string {
  const shape = shapeFor(asked);
  const nodes = nodesIn(asked.question.names, shape).map(({ id }) => id);
  const lines = (shape.teams ?? [])
    .filter((team) => nodes.length === 0 || team.nodes.some((id) => nodes.includes(id)))
    .map(
      (team) =>
        `- ${team.name}: a worker for each of ${list(team.nodes.map((id) => nameOf({ shape }, id)))}`,
    );
  const after = nodes.length === 0 ? shape.name : list(nodes.map((id) => nameOf({ shape }, id)));
  if (lines.length === 0)
    return [`No team of agents is named for ${after}.`, topologyLine(shape)].join('\n');
  const what = lines.length === 1 ? 'This team looks' : 'These teams look';
  return [`${what} after ${after}:`, ...lines, topologyLine(shape)].join('\n');
}

/** Says that it does not know who is responsible. */
export const people = (): string =>
  'I do not know which people are responsible: a topology names only teams of agents. Ask me for example "which team looks after topology N?".';

/** Says that it does not know who did something, and what was found. */
export const culprit = (asked: AnswerInput): string =>
  `I do not know which people did something: measurements show nodes, and some of them changes.\n${explain(asked)}`;

/** Says that it does not see what a topology sets, and where it is. */
export function settings(asked: AnswerInput): string {
  const shape = shapeFor(asked);
  return [
    `I do not see the endpoints and the attributes of nodes. They are on the page of the topology in the console, and in GET /api/service/v1/topologies/${shape.id}.`,
    topologyLine(shape),
  ].join('\n');
}
