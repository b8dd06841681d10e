import { reachedOnly } from '../../../../domain/diagnosis/verdict.js';
import { list } from '../../plan.js';
import type { Run } from '../facts.js';
import { intactText, isUnhealthy } from '../over-time/outage.js';
import { fewOf, sentence, timeText } from '../replies/report.js';
import type { MeasuredNode } from './measured-node.js';

/**
 * What a question that is answered with yes or no asks: whether something works, whether something
 * is wrong, or whether it does not answer.
 */
export type Expectation = 'well' | 'wrong' | 'down';

const YES_OR_NO =
  /^\W*(?:(?:and|but|so|then)\W+)*(?:is|are|was|were|has|have|had|did|does|do|any|anything|still|all|everything|(?:can|could|might|may) (?:it|this|that)(?: also)? be|(?:can|could) \S+(?: still)? (?:reach|connect|resolve))\b/;

/** Whether a question is answered with yes or no. */
export const asksYesOrNo = (asks: string): boolean => YES_OR_NO.test(asks) && !/\bor\b/.test(asks);
const WELL =
  /\b(?:ok|okay|up|alive|reachable|healthy|well|fine|good|working|works?|worked|help(?:ed)?|responding|fixed|resolved|solved|repaired|recover(?:ed)?|gone|back|better|over|running|stable|available|come back)\b/;
const DOWN = /\b(?:down|unreachable|unavailable|unresponsive|offline|dead)\b/;
const WRONG =
  /\b(?:unhealthy|broken|degraded|failing|failed|ill|unstable|flaky|wrong|crashing|sick|problems?|issues?|errors?)\b/;

/**
 * Undefined: the question is not answered with yes or no, or asks for something that not every
 * measurement shows.
 */
export function expectationOf(asks: string): Expectation | undefined {
  if (!asksYesOrNo(asks) || /\bnot\b/.test(asks)) return undefined;
  if (WELL.test(asks)) return 'well';
  if (DOWN.test(asks)) return 'down';
  return WRONG.test(asks) ? 'wrong' : undefined;
}

interface Ground {
  /** Undefined: no yes or no is asked for. */
  expected: Expectation | undefined;
  /** The diagnosis that the measurements are compared with. */
  before: Run | undefined;
  /** When was measured, ms since 1970. */
  now: number;
  /** Nodes in question that no diagnosis found to be wrong. */
  intact: ReadonlySet<string>;
  /** Of some nodes it was only measured that they answer. */
  isReachedOnly: boolean;
}

/**
 * Answers with yes, no or partly where that is asked for, and names what is wrong, what still is,
 * and what no longer is.
 */
export function judgementLines(measured: readonly MeasuredNode[], ground: Ground): string[] {
  const { expected, before, now, intact, isReachedOnly } = ground;
  const was = ({ id }: MeasuredNode) => before !== undefined && isUnhealthy(before, id);
  const those = (state: MeasuredNode['state']) => measured.filter((node) => node.state === state);
  const isMeant = ({ isDown }: MeasuredNode) => expected !== 'down' || isDown;
  const wrong = those('wrong').filter(isMeant);
  const limping = those('wrong').filter((node) => !isMeant(node));
  const still = wrong.filter(was);
  const others = wrong.filter((node) => !was(node));
  const recovered = those('ok').filter(was);
  const neverWrong = those('ok').filter(({ id }) => intact.has(id));
  const facts = [
    ...(before && neverWrong.length > 0 ? [intactText(neverWrong, before, true)] : []),
    ...line('Still wrong', still.map(wrongText)),
    ...line(
      still.length + recovered.length > 0 ? 'Wrong now' : 'Found wrong',
      others.map(wrongText),
    ),
    ...line('Not down, but wrong', limping.map(wrongText)),
    ...line('Needs attention', those('warned').map(wrongText)),
    ...line(
      'No longer wrong',
      recovered.map(({ name }) => name),
    ),
    ...notMeasuredLines(measured),
    ...(measured.every(({ state }) => state === 'ok') ? [wellText(isReachedOnly)] : []),
  ];
  const counts = {
    wrong: wrong.length,
    warned: those('warned').length,
    unknown: those('unknown').length,
    recovered: recovered.length,
  };
  const isAsked = expected !== undefined && intact.size === 0;
  const judgement = [...(isAsked ? [judge(counts, expected)] : []), ...facts];
  return [judgement.join(' '), ...(before ? [comparedText(before, now)] : [])];
}

const line = (title: string, nodes: readonly string[]): string[] =>
  nodes.length === 0 ? [] : [sentence(`${title}: ${list(fewOf(nodes))}`)];

/** Names the nodes that no tool could measure. */
export const notMeasuredLines = (measured: readonly MeasuredNode[]): string[] =>
  line(
    'Not measured',
    measured.filter(({ state }) => state === 'unknown').map(({ name }) => name),
  );

/** Names the nodes of which the measurements only show that they answer. */
export function reachedLines(measured: readonly MeasuredNode[]): string[] {
  const reached = measured.filter(
    ({ state, reachedOnly: isReached }) => isReached && state === 'ok',
  );
  return reachedOnly(
    reached.map(({ id }) => ({ node: id, state: 'healthy', reached_only: true })),
    (id) => measured.find((node) => node.id === id)?.name ?? id,
  );
}

const wrongText = ({ name, wrong }: MeasuredNode): string =>
  `${name} (${wrong.map((title) => title.replace(/\.$/, '')).join('; ')})`;

const wellText = (isReachedOnly: boolean): string =>
  isReachedOnly ? 'Nothing wrong was measured.' : 'Nothing is wrong with what was measured.';

const comparedText = ({ created_at, ended_at }: Run, now: number): string =>
  `Measured at ${timeText(new Date(now).toISOString())}, compared with the diagnosis of ${timeText(ended_at ?? created_at)}.`;

/** How many nodes are in which state. */
interface Counts {
  wrong: number;
  warned: number;
  unknown: number;
  recovered: number;
}

function judge({ wrong, warned, unknown, recovered }: Counts, expected: Expectation): string {
  if (wrong > 0 && recovered > 0) return 'Partly.';
  if (wrong > 0) return expected === 'well' ? 'No.' : 'Yes.';
  if (unknown > 0) return 'I cannot tell.';
  if (warned > 0 && expected !== 'down') return 'Partly.';
  return expected === 'well' ? 'Yes.' : 'No.';
}
