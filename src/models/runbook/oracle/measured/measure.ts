import { withName } from '../../../../domain/diagnosis/wording.js';
import { nodesIn } from '../../../../domain/topology/names-in-text.js';
import { textOf, type JsonObject } from '../../../../lib/json.js';
import { list, type ToolAnswer } from '../../plan.js';
import { explain } from '../answers/answers.js';
import type { AnswerInput } from '../answer-input.js';
import type { Run } from '../facts.js';
import { isUnhealthy } from '../over-time/outage.js';
import { areIntact, lastRun } from '../over-time/read-runs.js';
import { asksForPast } from '../over-time/tense.js';
import type { Question } from '../reading/question.js';
import { fewOf, nameOf } from '../replies/report.js';
import { asksForRecovery } from '../replies/recovery.js';
import { errorOf, judged, type MeasuredNode } from './measured-node.js';
import { expectationOf, quantifierFor } from './expectation.js';
import { judgementLines, notMeasuredLines, reachedLines } from './judgement.js';
import { lookAt } from './look-at.js';

/**
 * Measures nodes of the chat's own topology now, says whether they are as the question expects, and
 * lists the measurements. For other nodes, returns the latest findings.
 */
export function measure(asked: AnswerInput): string {
  const { brief, question } = asked;
  if (asksForPast(question)) return explain(asked);
  const all = brief.topology?.nodes ?? [];
  const named = nodesIn(question.names, brief.topology ?? undefined);
  const meant = all.filter(({ id }) => named.some((node) => node.id === id));
  const those = meant.length === 0 && isAboutAll(question) ? all : meant;
  if (those.length === 0) return explain(asked, true);
  if (those.every(({ firstLook }) => firstLook.length === 0)) return byLatest(asked, those);
  const first = lookAt(asked, those);
  const before = comparedWith(asked, those);
  const isIntact =
    before !== undefined &&
    asksForRecovery(question.asks) &&
    areIntact(asked, { nodes: meant, found: [before] });
  const failed = all.filter(({ id }) => before !== undefined && isUnhealthy(before, id));
  // Whether something is fixed that did not fail is answered with what did.
  const nodes = isIntact ? [...those, ...failed] : those;
  const looked = isIntact ? lookAt(asked, nodes) : first;
  const measured = nodes.map((node): MeasuredNode => judged(node, looked));
  const reached = reachedLines(measured);
  const expected = expectationOf(question.asks);
  const isSummed = expected !== undefined || nodes.length > 1;
  return [
    ...(isSummed
      ? judgementLines(measured, {
          expected,
          quantifier: quantifierFor(question, meant),
          before,
          now: brief.now,
          intact: new Set(isIntact ? meant.map(({ id }) => id) : []),
          isReachedOnly: reached.length > 0,
        })
      : notMeasuredLines(measured)),
    'Measured just now:',
    ...looked.map((each) => lineOf(each, asked)),
    ...reached,
  ].join('\n');
}

/** Answers by the latest diagnosis where this chat has no tool that measures. */
function byLatest(asked: AnswerInput, nodes: readonly { name: string }[]): string {
  const note = `I cannot measure ${list(fewOf(nodes.map(({ name }) => name)))} in this conversation.`;
  return `${note} By the latest diagnosis:\n${explain(asked, true)}`;
}

const isAboutAll = ({ isForAll, asks }: Question): boolean =>
  isForAll || asksForRecovery(asks) || /\b(?:what|any)\b/.test(asks);

/** Whether a question is about a change since something was found. */
const comparesIn = ({ asks }: Question): boolean =>
  asksForRecovery(asks) ||
  /\brecovered\b/.test(asks) ||
  (expectationOf(asks) !== undefined && /\b(?:now|still|again|any ?more|yet)\b/.test(asks));

/**
 * The diagnosis with which measurements are compared: if the question is about a change, or if
 * nodes in question were wrong then.
 */
function comparedWith(asked: AnswerInput, nodes: readonly { id: string }[]): Run | undefined {
  const { question, tools } = asked;
  if (comparesIn(question)) return lastRun(asked);
  if (expectationOf(question.asks) === undefined || !tools.has('get_run')) return undefined;
  const last = lastRun(asked);
  return last && nodes.some(({ id }) => isUnhealthy(last, id)) ? last : undefined;
}

/** Describes a measurement of a diagnostic tool. */
function lineOf(answer: ToolAnswer, { brief }: AnswerInput): string {
  const { tool, args, output, failed } = answer;
  const node = textOf(args, 'node');
  const name = nameOf({ shape: brief.topology ?? undefined }, node);
  if (failed) return `- ${withName(name, `${tool} did not answer: ${errorOf(answer)}`)}`;
  const summary = textOf(output as JsonObject, 'summary');
  const news = judged({ id: node, name }, [answer]).found.filter(
    (title) => !summary.includes(title),
  );
  return `- ${withName(name, summary)}${news.length > 0 ? ` (${list(news)})` : ''}`;
}
