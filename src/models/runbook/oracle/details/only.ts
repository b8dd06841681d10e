import { nodesIn } from '../../../../domain/topology/names-in-text.js';
import { list } from '../../plan.js';
import type { AnswerInput } from '../answer-input.js';
import { NoAnswerError } from '../facts.js';
import { latestOfEach } from '../latest.js';
import { expectationOf, holdsFor, isHoped, yesOrNo } from '../measured/expectation.js';
import { pastFailure } from '../over-time/past-failure.js';
import { everywhereText, nameText } from '../replies/every-topology.js';
import { notUnderstoodText } from '../replies/examples.js';
import { nodesLines } from '../replies/nodes.js';
import { held, heldAt } from '../replies/parts.js';
import { fewOf, runLine, thenLine } from '../replies/report.js';
import { findRun, topologiesNamed } from '../subject/subject.js';

/** "Is only A down?", "is it just A?", "is A the only problem?" */
export const ONLY =
  /^\W*(?:is|are|was|were) (?:(?:it|this|that) )?(?:only|just)\b|^\W*(?:is|are|was|were)\b.*\bthe only\b/;
/** "Is everything but A fine?" */
export const EXCEPT =
  /\b(?:everything|everyone|all(?: the)?(?: \w+)?) (?:else )?(?:but|except(?: for)?|apart from|other than|besides)\b/;

/** A topology or a node: whether the question names it, and whether something is wrong with it. */
interface Part {
  name: string;
  isNamed: boolean;
  isWrong: boolean | undefined;
}

/**
 * Says whether only what a question names is wrong, or whether all but that is well: topologies, or
 * nodes of one.
 */
export function onlyThat(asked: AnswerInput): string {
  const ids = asked.brief.topology === null ? topologiesNamed(asked) : [];
  return ids.length > 0 ? ofTopologies(asked, ids) : ofNodes(asked);
}

function ofTopologies(asked: AnswerInput, ids: readonly number[]): string {
  const { facts, question } = asked;
  const all = latestOfEach(facts);
  const parts = all.map((each) => ({
    name: nameText(each),
    isNamed: ids.includes(each.topology.id),
    isWrong: each.run && held(each.run, 'wrong'),
  }));
  return [judge(parts, question.asks), everywhereText(all, facts.topologies().length, false)].join(
    '\n',
  );
}

function ofNodes(asked: AnswerInput): string {
  const { question } = asked;
  const latest = findRun(asked);
  const past = pastFailure({ ...asked, question: { ...question, names: '' } }, latest);
  const found = past?.found ?? latest;
  const nodes = found.shape?.nodes ?? [];
  const named = nodesIn(question.names, found.shape);
  if (named.length === 0) throw new NoAnswerError(notUnderstoodText(asked));
  const parts = nodes.map(({ id, name }) => ({
    name,
    isNamed: named.some((node) => node.id === id),
    isWrong: heldAt(found.run, id, 'wrong'),
  }));
  const isOfOthers = EXCEPT.test(question.asks);
  const shown = nodes.filter(
    (_, i) => parts[i]?.isNamed === !isOfOthers || parts[i]?.isWrong === true,
  );
  return [
    judge(parts, question.asks),
    ...(past ? [past.note] : []),
    ...nodesLines(found, shown),
    runLine(found.run),
    thenLine(found.run),
  ].join('\n');
}

/** Says yes, no, or that it is not known, and what is wrong with the rest. */
function judge(parts: readonly Part[], asks: string): string {
  const rest = parts.filter(({ isNamed }) => !isNamed);
  const isOfRest = EXCEPT.test(asks);
  const isOfWell = isHoped(expectationOf(asks) ?? 'well');
  const holds = holdsFor(
    'every',
    (isOfRest ? rest : parts).map(({ isNamed, isWrong }) =>
      isWrong === undefined ? undefined : isWrong === (isOfRest ? !isOfWell : isNamed),
    ),
  );
  const namesOf = (state: boolean | undefined) =>
    list(fewOf(rest.flatMap(({ name, isWrong }) => (isWrong === state ? [name] : []))));
  const named = list(fewOf(parts.flatMap(({ name, isNamed }) => (isNamed ? [name] : []))));
  const wrong = namesOf(true);
  const unknown = namesOf(undefined);
  return [
    yesOrNo(holds),
    wrong === ''
      ? `Apart from ${named}, nothing was found to be wrong.`
      : `Apart from ${named}, something is wrong with ${wrong}.`,
    ...(unknown === '' ? [] : [`Not known: ${unknown}.`]),
  ].join(' ');
}
