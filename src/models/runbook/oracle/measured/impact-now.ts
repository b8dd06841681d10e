import { needsOf } from '../../../../domain/topology/needs-of.js';
import { nodesIn } from '../../../../domain/topology/names-in-text.js';
import type { AnswerInput } from '../answer-input.js';
import { lastRun } from '../over-time/read-runs.js';
import { asksForPast } from '../over-time/tense.js';
import { dependentsText } from '../replies/lists.js';
import { fewOf, sentence } from '../replies/report.js';
import { list } from '../../plan.js';
import { judged, type MeasuredNode } from './measured-node.js';
import { judgementLines, reachedLines } from './judgement.js';
import { lookAt } from './look-at.js';

/**
 * Measures the chat's own topology again and says what depends on the nodes in question, or else on
 * those that are wrong now, and how that is now. Undefined if the conversation has measured
 * nothing, or if the question is about a diagnosis or about what was: then a diagnosis answers.
 */
export function impactNow(asked: AnswerInput): string | undefined {
  const { brief, question, hasMeasured } = asked;
  const { topology: own, run } = brief;
  const isOfRun = run !== undefined || question.runIds.length > 0 || question.latest;
  if (!own || !hasMeasured || isOfRun || asksForPast(question)) return undefined;
  const looked = lookAt(asked, own.nodes);
  const measured = own.nodes.map((node) => judged(node, looked));
  const wrong = measured.filter(({ state }) => state === 'wrong');
  const isWrong = (id: string) => wrong.some((node) => node.id === id);
  const needs = (id: string) => needsOf(own.nodes, id);
  const named = question.isInherited ? [] : nodesIn(question.names, own);
  const first = own.nodes.filter(({ id }) => isWrong(id) && !needs(id).some(isWrong));
  const meant = named.length > 0 ? named : first;
  const above = measured.filter(({ id }) =>
    needs(id).some((needed) => meant.some((node) => node.id === needed)),
  );
  const reached = reachedLines(measured);
  return [
    ...judgementLines(measured, {
      expected: undefined,
      before: lastRun(asked),
      now: brief.now,
      intact: new Set(),
      isReachedOnly: reached.length > 0,
    }),
    ...meant.map((node) => dependentsText(node, own)),
    ...stateLine('Of that, wrong now', above, (state) => state === 'wrong'),
    ...stateLine('Of that, well now', above, (state) => state === 'ok' || state === 'warned'),
    ...reached,
    'That was measured just now.',
  ].join('\n');
}

function stateLine(
  title: string,
  nodes: readonly MeasuredNode[],
  isMeant: (state: MeasuredNode['state']) => boolean,
): string[] {
  const names = nodes.flatMap(({ name, state }) => (isMeant(state) ? [name] : []));
  return names.length === 0 ? [] : [sentence(`${title}: ${list(fewOf(names))}`)];
}
