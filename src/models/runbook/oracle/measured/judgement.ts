import { reachedOnly } from '../../../../domain/diagnosis/verdict.js';
import { list } from '../../plan.js';
import type { Run } from '../facts.js';
import { intactText, isUnhealthy } from '../over-time/outage.js';
import { fewOf, sentence, timeText } from '../replies/report.js';
import { holdsFor, isHoped, yesOrNo, type Expectation, type Quantifier } from './expectation.js';
import type { MeasuredNode } from './measured-node.js';

interface Ground {
  /** Undefined: no yes or no is asked for. */
  expected: Expectation | undefined;
  /** Of how many nodes it is asked; absent: as usual of what is expected. */
  quantifier?: Quantifier | undefined;
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
  const { quantifier } = ground;
  const isUsual =
    expected === undefined ||
    quantifier === undefined ||
    (quantifier === 'every' && expected === 'well');
  const was = ({ id }: MeasuredNode) => before !== undefined && isUnhealthy(before, id);
  const those = (state: MeasuredNode['state']) => measured.filter((node) => node.state === state);
  const isMeant = ({ isDown }: MeasuredNode) => !isOfDown(expected) || isDown;
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
    ...(isUsual
      ? []
      : line(
          'Not wrong',
          those('ok').map(({ name }) => name),
        )),
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
  const judgement = isAsked
    ? [
        isUsual
          ? judge(counts, expected)
          : yesOrNo(holdsFor(quantifier, measured.map(partOf(expected)))),
        ...facts,
      ]
    : facts;
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

/** Whether a question is about nodes that answer or do not, and not about faults. */
const isOfDown = (expected: Expectation | undefined): boolean =>
  expected === 'down' || expected === 'up';

/** Whether what is expected holds for a node; undefined if it could not be measured. */
const partOf =
  (expected: Expectation) =>
  ({ state, isDown }: MeasuredNode): boolean | undefined =>
    state === 'unknown'
      ? undefined
      : (isOfDown(expected) ? !isDown : state !== 'wrong') === isHoped(expected);

function judge({ wrong, warned, unknown, recovered }: Counts, expected: Expectation): string {
  if (wrong > 0 && recovered > 0) return 'Partly.';
  if (wrong > 0) return yesOrNo(!isHoped(expected));
  if (unknown > 0) return 'I cannot tell.';
  if (warned > 0 && expected === 'well') return 'Partly.';
  return yesOrNo(isHoped(expected));
}
