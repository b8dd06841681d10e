import { list } from '../../plan.js';
import {
  expectationOf,
  holdsFor,
  isHoped,
  quantifierOf,
  usualQuantifier,
  yesOrNo,
  type Expectation,
  type Quantifier,
} from '../measured/expectation.js';
import { nameText, type LatestRun } from './every-topology.js';
import { held, heldAtNodes, isWarned } from './parts.js';
import { fewOf } from './report.js';

/** Asks about topologies, and not about whatever they have. */
const OF_TOPOLOGIES = /\b(?:topolog(?:y|ies)|systems?)\b/;
/** Asks about what topologies have. */
const OF_PARTS = /\b(?:(?:every|any|no)(?:thing|one)?|all|whole|entire\w*|fully|completely)\b/;

const wholeOf =
  (expected: Expectation) =>
  ({ run }: LatestRun): boolean | undefined =>
    run && held(run, expected);

/**
 * Says with yes or no whether all topologies, or as many as a question asks, are as it expects, by
 * their latest diagnoses; empty if it does not ask that.
 * @param otherwise the quantifier of a question that names some of them and has none; absent: as
 *   usual of what it expects
 */
export function judgementOf(
  all: readonly LatestRun[],
  asks: string,
  otherwise?: Quantifier,
): string[] {
  const expected = expectationOf(asks);
  if (expected === undefined || all.length === 0) return [];
  const usual = usualQuantifier(expected);
  const quantifier = quantifierOf(asks) ?? otherwise ?? usual;
  if (quantifier === usual) {
    const holds = holdsFor(quantifier, all.map(wholeOf(expected)));
    const isWarning = expected === 'well' && all.some(({ run }) => run && isWarned(run));
    return [holds === true && isWarning ? 'Partly.' : yesOrNo(holds)];
  }
  const isOfNamed = otherwise !== undefined && !OF_PARTS.test(asks);
  const parts =
    isOfNamed || OF_TOPOLOGIES.test(asks)
      ? all.map(wholeOf(expected))
      : all.flatMap(({ run }) => (run ? heldAtNodes(run, expected) : [undefined]));
  const holds = holdsFor(quantifier, parts);
  const isOfWell = isHoped(expected) || quantifier === 'every';
  // A part that is well has decided it.
  const isShown = isOfWell && holds === (quantifier === 'any');
  return [
    isShown ? `${yesOrNo(holds).replace('.', ':')} ${wellText(all, expected)}` : yesOrNo(holds),
  ];
}

/** Names the topologies that are well, or else those of which some nodes are. */
function wellText(all: readonly LatestRun[], expected: Expectation): string {
  const isOfDown = expected === 'up' || expected === 'down';
  const [hoped, what] = isOfDown ? (['up', 'not down'] as const) : (['well', 'healthy'] as const);
  const namesOf = (those: readonly LatestRun[]) => list(fewOf(those.map(nameText)));
  const whole = all.filter(({ run }) => run && held(run, hoped) === true);
  if (whole.length > 0) return `${namesOf(whole)} ${whole.length === 1 ? 'is' : 'are'} ${what}.`;
  const partly = all.filter(({ run }) => run && heldAtNodes(run, hoped).includes(true));
  return `some nodes of ${namesOf(partly)} are ${what}.`;
}
