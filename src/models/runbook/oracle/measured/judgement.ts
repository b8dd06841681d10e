import { list } from '../../plan.js';
import type { Run } from '../facts.js';
import { fewOf, isUnwell, sentence, timeText } from '../replies/report.js';
import type { MeasuredNode } from './measured-node.js';

/** What a question that is answered with yes or no asks: whether something works, or whether something is wrong. */
export type Expectation = 'well' | 'wrong';

const YES_OR_NO =
  /^\W*(?:(?:and|but|so|then)\W+)*(?:is|are|was|were|has|have|had|did|does|do|any|anything|still|all|everything|(?:can|could|might|may) (?:it|this|that)(?: also)? be)\b/;

/** Whether a question is answered with yes or no. */
export const asksYesOrNo = (asks: string): boolean => YES_OR_NO.test(asks) && !/\bor\b/.test(asks);
const WELL =
  /\b(?:ok|okay|up|alive|reachable|healthy|well|fine|good|working|works?|worked|help(?:ed)?|responding|fixed|resolved|solved|repaired|recover(?:ed)?|gone|back|better|over|running|stable|available|come back)\b/;
const WRONG =
  /\b(?:down|unhealthy|broken|degraded|failing|failed|unreachable|ill|unstable|flaky|unavailable|unresponsive|offline|dead|wrong|crashing|sick)\b/;

/** Undefined: the question is not answered with yes or no, or asks for something that not every measurement shows. */
export function expectationOf(asks: string): Expectation | undefined {
  if (!asksYesOrNo(asks) || /\bnot\b/.test(asks)) return undefined;
  if (WELL.test(asks)) return 'well';
  return WRONG.test(asks) ? 'wrong' : undefined;
}

interface Ground {
  expected: Expectation;
  /** The diagnosis that the measurements are compared with. */
  before: Run | undefined;
  /** Of some nodes it was only measured that they answer. */
  isReachedOnly: boolean;
}

/** Answers with yes, no or partly, and names what is wrong, what still is, and what no longer is. */
export function judgementLines(measured: readonly MeasuredNode[], ground: Ground): string[] {
  const { expected, before, isReachedOnly } = ground;
  const was = ({ id }: MeasuredNode) => before !== undefined && isUnwell(before, id);
  const those = (state: MeasuredNode['state']) => measured.filter((node) => node.state === state);
  const [wrong, unknown] = [those('wrong'), those('unknown')];
  const [still, others] = [wrong.filter(was), wrong.filter((node) => !was(node))];
  const recovered = those('ok').filter(was);
  const facts = [
    ...line('Still wrong', still.map(wrongText)),
    ...line(still.length + recovered.length > 0 ? 'Wrong now' : 'Wrong', others.map(wrongText)),
    ...line(
      'No longer wrong',
      recovered.map(({ name }) => name),
    ),
    ...notMeasuredLines(measured),
    ...(wrong.length + unknown.length === 0 ? [wellText(isReachedOnly)] : []),
  ];
  const judgement = [
    judge({ wrong: wrong.length, unknown: unknown.length, recovered: recovered.length }, expected),
    ...facts,
  ];
  return [judgement.join(' '), ...(before ? [comparedText(before)] : [])];
}

const line = (title: string, nodes: readonly string[]): string[] =>
  nodes.length === 0 ? [] : [sentence(`${title}: ${list(fewOf(nodes))}`)];

/** Names the nodes that no tool could measure. */
export const notMeasuredLines = (measured: readonly MeasuredNode[]): string[] =>
  line(
    'Not measured',
    measured.filter(({ state }) => state === 'unknown').map(({ name }) => name),
  );

const wrongText = ({ name, wrong }: MeasuredNode): string =>
  `${name} (${wrong.map((title) => title.replace(/\.$/, '')).join('; ')})`;

const wellText = (isReachedOnly: boolean): string =>
  isReachedOnly ? 'Nothing wrong was measured.' : 'Nothing is wrong with what was measured.';

const comparedText = ({ created_at, ended_at }: Run): string =>
  `Compared with the diagnosis of ${timeText(ended_at ?? created_at)}.`;

/** How many nodes are in which state. */
interface Counts {
  wrong: number;
  unknown: number;
  recovered: number;
}

function judge({ wrong, unknown, recovered }: Counts, expected: Expectation): string {
  if (wrong > 0 && recovered > 0) return 'Partly.';
  if (wrong > 0) return expected === 'well' ? 'No.' : 'Yes.';
  if (unknown > 0) return 'I cannot tell.';
  return expected === 'well' ? 'Yes.' : 'No.';
}
