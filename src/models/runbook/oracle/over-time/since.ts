import { list } from '../../plan.js';
import { nodesIn } from '../../../../domain/topology/names-in-text.js';
import type { AnswerInput } from '../answer-input.js';
import { recoveredSince } from '../subject/earlier.js';
import type { Run, Shape } from '../facts.js';
import { stateNow } from '../details/topic-view.js';
import { expectationOf, isHoped, yesOrNo } from '../measured/expectation.js';
import { measure } from '../measured/measure.js';
import { fewOf, runLine, shortened, thenLine, timeText } from '../replies/report.js';
import {
  beginText,
  endText,
  isUnhealthy,
  lengthText,
  outageOf,
  stillText,
  type Outage,
} from './outage.js';
import { readRuns } from './read-runs.js';

type Node = Shape['nodes'][number];

/** Asks for how long it was so. */
const HOW_LONG = /\bhow long\b|\blong\W*$/;

/**
 * Says since when nodes are unhealthy, or when their last outage began and ended, from the
 * diagnoses.
 */
export function since(asked: AnswerInput): string {
  const text = outagesSince(asked);
  const { asks } = asked.question;
  const expected = expectationOf(asks);
  // "Was it down earlier?"
  return expected === undefined || isHoped(expected)
    ? text
    : `${yesOrNo(!text.startsWith(NONE))}\n${text}`;
}

/** How it is said that there was no outage. */
const NONE = 'Nothing was found to be wrong';

function outagesSince(asked: AnswerInput): string {
  return outages(asked, ({ id, name }, outage, extent) => {
    const cause = outage.first.report?.root_causes.find(({ node }) => node === id);
    const begin = beginText(name, outage, extent, cause?.onset);
    const end = outage.after ? endText(name, outage) : measuredEnd(asked, { id, name }, outage);
    const length = HOW_LONG.test(asked.question.asks) ? [lengthText(name, outage)] : [];
    return [...length, begin, ...(end === undefined ? [] : [end])].join(' ');
  });
}

/**
 * Says when nodes recovered: from the diagnoses, and from what the chat of a topology has measured,
 * or measures now.
 */
export const recoveredWhen = (asked: AnswerInput): string =>
  outages(
    asked,
    (node, outage) =>
      (outage.after
        ? undefined
        : (measuredEnd(asked, node, outage) ?? endNow(asked, node, outage))) ??
      endText(node.name, outage),
  );

/** Says between which diagnosis and which measurement of the conversation a node recovered. */
function measuredEnd({ recovered, brief }: AnswerInput, { id, name }: NodeLabel, { last }: Outage) {
  const since = recoveredSince(recovered, last);
  const own = brief.topology?.id === last.topology_id ? brief.topology : undefined;
  const isMeant = nodesIn(since?.text.toLowerCase() ?? '', own).some((node) => node.id === id);
  return since && isMeant
    ? `${stillText(name, last)} and healthy at ${since.at}, when this conversation measured it: it recovered in between.`
    : undefined;
}

/** Measures a node now to say whether it has recovered, if the chat has its topology. */
function endNow(asked: AnswerInput, { id, name }: NodeLabel, { last }: Outage): string | undefined {
  if (asked.brief.topology?.id !== last.topology_id) return undefined;
  const state = stateNow(asked, id);
  if (state === 'unknown') return undefined;
  return state === 'ok'
    ? `${stillText(name, last)}, and was measured to be well just now: it recovered in between.`
    : `${stillText(name, last)}, and is so now: that was measured just now.`;
}

/**
 * Says which nodes have recovered: measured now in the chat of a topology whose latest diagnosis
 * found a failure, else by the diagnoses.
 */
export function whatRecovered(asked: AnswerInput): string {
  const { found, runs } = readRuns(asked);
  const latest = runs[0] ?? found.run;
  const nodes = found.shape?.nodes ?? [];
  const all = nodes.flatMap(({ id, name }) => {
    const outage = outageOf(runs, id);
    return outage ? [{ name, outage }] : [];
  });
  const over = all.filter(({ outage }) => outage.after);
  const unhealthy = nodes.filter(({ id }) => isUnhealthy(latest, id));
  const overLines = shortened(over.map(({ name, outage }) => `- ${endText(name, outage)}`));
  if (unhealthy.length > 0 && asked.brief.topology?.id === latest.topology_id) {
    const now = measure(asked);
    const isNone = over.length === 0 && unhealthy.every(({ id }) => stateNow(asked, id) !== 'ok');
    const before = over.length > 0 ? ['Recovered:', ...overLines] : [];
    return [...before, ...(isNone ? ['Nothing recovered.'] : []), now].join('\n');
  }
  const open = all.filter(({ outage }) => !outage.after).map(({ name }) => name);
  const still =
    open.length === 0
      ? []
      : [`Still unhealthy in the latest diagnosis that checked them: ${list(fewOf(open))}.`];
  return [
    over.length > 0
      ? 'Recovered:'
      : `No node recovered in ${those(runs.length)} of topology ${latest.topology_id}, since ${sinceTime(runs, latest)}.`,
    ...overLines,
    ...still,
    runLine(latest),
    thenLine(latest),
  ].join('\n');
}

const those = (n: number): string => (n === 1 ? 'the only diagnosis' : `the last ${n} diagnoses`);

const sinceTime = (runs: readonly Run[], latest: Run): string =>
  timeText((runs.at(-1) ?? latest).created_at);

type NodeLabel = Pick<Node, 'id' | 'name'>;
type Describe = (
  node: NodeLabel,
  outage: Outage,
  extent: { count: number; isAll: boolean },
) => string;

/** Describes the last outage of each node in question. */
function outages(asked: AnswerInput, describe: Describe): string {
  const isComplete = (runs: readonly Run[], nodes: readonly Node[]) =>
    nodes.length > 0 && nodes.every(({ id }) => outageOf(runs, id)?.before !== undefined);
  const { found, runs, nodes, isAll } = readRuns(asked, isComplete);
  const latest = runs[0] ?? found.run;
  const extent = { count: runs.length, isAll };
  const lines = nodes.map(({ id, name }) => {
    const outage = outageOf(runs, id);
    return outage
      ? describe({ id, name }, outage, extent)
      : `Nothing was found to be wrong with ${name} in ${those(runs.length)} of topology ${latest.topology_id}, since ${sinceTime(runs, latest)}.`;
  });
  const none = `Nothing was found to be wrong in ${those(runs.length)} of topology ${latest.topology_id}, since ${sinceTime(runs, latest)}: nothing began, and nothing had to recover.`;
  return [...(lines.length > 0 ? lines : [none]), runLine(latest), thenLine(latest)].join('\n');
}
