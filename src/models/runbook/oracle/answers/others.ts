import { needsOf } from '../../../../domain/topology/needs-of.js';
import { list } from '../../plan.js';
import { nodesIn } from '../../../../domain/topology/names-in-text.js';
import { certaintyText, isCauseText, suspectsText, suspectText } from '../replies/certainty.js';
import { becauseIn, becauseText, type CausalQuestion } from '../details/because.js';
import { stateIn } from '../over-time/outage.js';
import { brokenRows, lastFailureOfEach, latestOfEach } from '../latest.js';
import { pastFailure } from '../over-time/past-failure.js';
import { asksForPast } from '../over-time/tense.js';
import {
  everywhereLines,
  everywhereNodesText,
  everywhereText,
  everywhereThenText,
  nameText,
  verdictLines,
  type LatestRun,
} from '../replies/every-topology.js';
import { held, heldAtNodes } from '../replies/parts.js';
import { nodeText } from '../replies/nodes.js';
import { nodesMeant } from '../what-to-do/nodes-meant.js';
import { stateLines } from '../replies/states.js';
import { fewOf, otherFindings, runLine, thenLine, type DiagnosedRun } from '../replies/report.js';
import { dependentsText, shapeText } from '../replies/lists.js';
import { LAST_FOUND } from '../subject/earlier.js';
import type { AnswerInput } from '../answer-input.js';
import type { Facts, Run, Shape } from '../facts.js';
import { impactNow } from '../measured/impact-now.js';
import { asksYesOrNo, stateAskedFor, yesOrNo } from '../measured/expectation.js';
import { judgementOf } from '../replies/judge-topologies.js';
import {
  allDiagnosed,
  findRun,
  findRunIfAny,
  isSaid,
  needTopology,
  topologiesNamed,
} from '../subject/subject.js';

/** Asks which topologies are healthy, not whether they are. */
const HEALTHY =
  /\b(?:which|what|list|show|how many)\b.*(?<!\bnot )\b(?:healthy|fine|well|ok|okay|good|green|up|working)\b/;

/**
 * Returns the latest verdict of every topology; of a question about what was, the last one of each
 * that found a failure.
 */
export function everywhere({ facts, question }: AnswerInput): string {
  const { asks } = question;
  const all = latestOfEach(facts);
  if (asksForPast(question)) {
    const then = lastFailureOfEach(facts);
    const known = all.map((each, i) => (then[i]?.run ? then[i] : each));
    return [
      ...countLines(known, asks, 'the last diagnoses that found something'),
      ...judgementOf(known, asks),
      everywhereThenText(then, all),
    ].join('\n');
  }
  const text = everywhereText(all, facts.topologies().length, HEALTHY.test(asks));
  return [...countLines(all, asks), ...judgementOf(all, asks), text].join('\n');
}

/**
 * Returns the nodes of every topology that are well, or those that are not, by the latest
 * diagnoses; the verdicts if these have no states of nodes, or of a question about what was.
 */
export function nodesEverywhere(asked: AnswerInput, asksForWell: boolean): string {
  const { facts, question } = asked;
  const all = latestOfEach(facts);
  const runs = all.flatMap(({ run }) => (run?.report?.nodes?.length ? [run.run_id] : []));
  if (runs.length === 0 || asksForPast(question)) return everywhere(asked);
  const undiagnosed = all.filter(({ run }) => !run).map(nameText);
  return [
    ...countLines(all, question.asks),
    everywhereNodesText(allDiagnosed(asked, runs), asksForWell),
    ...(undiagnosed.length > 0 ? [`Not diagnosed yet: ${list(fewOf(undiagnosed))}.`] : []),
    'For what is now, ask me to "diagnose topology N".',
  ].join('\n');
}

const HOW_MANY = /\bhow many\b/;
const OF_NODES = /\b(?:nodes?|services?|components?)\b/;

/** Counts the topologies, or their nodes, that are as a question asks; else empty. */
function countLines(
  all: readonly LatestRun[],
  asks: string,
  by = 'the latest diagnoses',
): string[] {
  const expected = stateAskedFor(asks);
  if (!HOW_MANY.test(asks) || expected === undefined) return [];
  const isOfNodes = OF_NODES.test(asks);
  const parts = all.flatMap(({ topology, run }) =>
    !isOfNodes
      ? [run && held(run, expected)]
      : run
        ? heldAtNodes(run, expected)
        : Array<undefined>(topology.nodes).fill(undefined),
  );
  const unknown = parts.filter((part) => part === undefined).length;
  const what = isOfNodes ? 'nodes' : all.length === 1 ? 'topology' : 'topologies';
  const known = `${parts.filter((part) => part === true).length} of ${parts.length} ${what}, by ${by}`;
  return [unknown === 0 ? `${known}.` : `${known}; of ${unknown} that is not known.`];
}

/** Says where the recipients of a run's report are listed: no tool of the oracle reads that. */
export function sent(asked: AnswerInput): string {
  const runId = findRunIfAny(asked)?.run.run_id ?? 'RUN';
  return `I do not see where reports were sent. The service lists it for each run: GET /api/service/v1/executions/${runId}/reports.`;
}

/** Asks whether something in one topology comes from another one. */
const RELATION =
  /\b(?:affect(?:ed|s)?|because of|due to|caused? by|depend(?:s|ent)? on|hit by|related to)\b/;

/** Says that it knows nothing between topologies. */
export const NO_RELATION =
  'I cannot tell: a topology names the dependencies of its own nodes only, none on another topology.';

/** Returns the latest verdicts of some topologies. */
const verdictsOf = ({ facts, question }: AnswerInput, ids: readonly number[]): string =>
  [...(RELATION.test(question.asks) ? [NO_RELATION] : []), verdictsText(latestOf(facts, ids))].join(
    '\n',
  );

/** As `verdictsOf`, after a judgement of them all if the question asks for it. */
export function judgedVerdictsOf(asked: AnswerInput, ids: readonly number[]): string {
  if (RELATION.test(asked.question.asks)) return verdictsOf(asked, ids);
  const those = latestOf(asked.facts, ids);
  return [...judgementOf(those, asked.question.asks, 'every'), verdictsText(those)].join('\n');
}

const latestOf = (facts: Facts, ids: readonly number[]) =>
  latestOfEach(facts).filter(({ topology: { id } }) => ids.includes(id));

const verdictsText = (all: Parameters<typeof verdictLines>[0]): string =>
  ['The latest verdicts:', ...verdictLines(all)].join('\n');

/** "Is that all?" */
const IS_THAT_ALL = /^\W*(?:(?:so|and)\W+)*is (?:it|that|this)\b/;

/** Returns what else the diagnosis in question found, and the verdicts of the other topologies. */
export function others(asked: AnswerInput): string {
  const { facts, brief } = asked;
  if (!isSaid(asked)) return everywhere(asked);
  const found = findRun(asked);
  const rest = otherFindings(found);
  const apart =
    brief.topology === null
      ? latestOfEach(facts).filter(({ topology }) => topology.id !== found.run.topology_id)
      : [];
  const isNone = rest.length === 0;
  const holds = IS_THAT_ALL.test(asked.question.asks) ? [yesOrNo(isNone)] : [];
  return [
    ...holds,
    ...(isNone ? ['Nothing else was found.'] : ['Also found:', ...rest]),
    runLine(found.run),
    ...(apart.length > 0 ? ['The other topologies:', ...everywhereLines(apart)] : []),
  ].join('\n');
}

export const certainty = (asked: AnswerInput): string => certaintyText(findRun(asked));

/** Returns what is known of the node in question as a cause, or all suspects. */
export function suspects(asked: AnswerInput): string {
  const several = topologiesNamed(asked);
  if (several.length > 1) return verdictsOf(asked, several);
  const found = findRun(asked);
  // What it names is a suspect, and not what was wrong.
  const past = pastFailure({ ...asked, question: { ...asked.question, names: '' } }, found);
  const [head = '', ...lines] = suspectsIn(asked, past?.found ?? found).split('\n');
  return [head, ...(past ? [past.note] : []), ...lines].join('\n');
}

function suspectsIn(asked: AnswerInput, found: DiagnosedRun): string {
  const nodes = nodesIn(asked.question.names, found.shape);
  const [node, ...more] = nodes;
  if (!node) return suspectsText(found);
  const text = suspectText(found, nodes);
  const because = becauseIn(asked.question, found.shape);
  if (because && found.shape && asksYesOrNo(asked.question.asks))
    return `${reasonText(because, found.shape, found.run)}\n${text}`;
  return more.length === 0 && asksYesOrNo(asked.question.asks)
    ? `${isCauseText(found, node)}\n${text}`
    : text;
}

/** Whether nodes are unhealthy because of others: only nodes that are unhealthy can be. */
function reasonText(because: CausalQuestion, shape: Shape, run: Run): string {
  const states = because.effects.map(({ id }) => stateIn(run, id));
  if (states.includes('wrong')) return becauseText(because, shape, (node) => stateIn(run, node));
  return states.includes('unknown') ? 'I cannot tell.' : 'No.';
}

/**
 * Returns what depends on the node in question, or else the nodes that the root causes affect: of
 * the diagnosis in question, or of every topology that has one.
 */
export function impact(asked: AnswerInput): string {
  const text = impactOnNodes(asked);
  return PEOPLE.test(asked.question.asks)
    ? `I do not know people or how many they are: I know nodes.\n${text}`
    : text;
}

/** Asks which people are affected, or how many. */
const PEOPLE = /\b(?:how many|how much|which|what) (?:customers|users|people|visitors|clients)\b/;

function impactOnNodes(asked: AnswerInput): string {
  const { facts, question } = asked;
  if (!isSaid(asked)) {
    const broken = asksForPast(question)
      ? lastFailureOfEach(facts).flatMap(({ run }) => run ?? [])
      : brokenRows(facts);
    const all = allDiagnosed(
      asked,
      broken.map(({ run_id }) => run_id),
    );
    const head = asksForPast(question) ? [LAST_FOUND] : [];
    return all.length > 0 ? [...head, ...all.map(affectedText)].join('\n') : everywhere(asked);
  }
  // "What happens if it fails?" does not ask how things are.
  const isOfState = !/\bif\b/.test(question.asks);
  const now = isOfState ? impactNow(asked) : undefined;
  if (now !== undefined) return now;
  const shape = facts.shape(needTopology(asked, 'Of which topology?'));
  const found = findRunIfAny(asked);
  const past = found && pastFailure(asked, found);
  if (past && past.found !== found) return [past.note, impactOnNodes(past.asked)].join('\n');
  const nodes = found ? nodesMeant(question, found) : nodesIn(question.names, shape);
  if (nodes.length === 0) return affectedText(findRun(asked));
  return isOfState ? dependentsNow(asked, nodes, shape) : shapeText(nodes, shape);
}

/** Says what depends on nodes, and in which states the latest diagnosis found it. */
function dependentsNow(asked: AnswerInput, nodes: Shape['nodes'], shape: Shape): string {
  const lines = nodes.map((node) => dependentsText(node, shape));
  const ids = nodes.map(({ id }) => id);
  const above = shape.nodes.filter(({ id }) =>
    needsOf(shape.nodes, id).some((needed) => ids.includes(needed)),
  );
  const found = findRunIfAny(asked);
  if (above.length === 0 || !found)
    return [...lines, `Topology ${shape.id} (${shape.name}).`].join('\n');
  return [
    ...lines,
    ...stateLines(found, { ids: above.map(({ id }) => id) }),
    runLine(found.run),
    thenLine(found.run),
  ].join('\n');
}

function affectedText(found: DiagnosedRun): string {
  const ids = found.run.report?.root_causes.map(({ node }) => node) ?? [];
  const nodes = found.shape?.nodes.filter(({ id }) => ids.includes(id)) ?? [];
  if (!found.shape || nodes.length === 0)
    return `No root cause was found, so no node is affected by one.\n${runLine(found.run)}`;
  const { shape } = found;
  const lines = nodes.map((node) => {
    const text = nodeText(found, node);
    return / (?:is|are) affected by [^.]*\.$/.test(text)
      ? text
      : `${text} No other node is measurably affected. ${dependentsText(node, shape)}`;
  });
  return [...lines, runLine(found.run)].join('\n');
}
