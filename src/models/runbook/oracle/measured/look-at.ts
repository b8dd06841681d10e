import type { ToolAnswer } from '../../plan.js';
import type { AnswerInput } from '../answer-input.js';
import { LookUp } from '../facts.js';

/**
 * Maximum of measurements at once, and of those of one answer: a turn of the oracle has a limit of
 * calls of the model.
 */
const MOST_AT_ONCE = 20;
const MOST = 100;

type NodeToMeasure = NonNullable<AnswerInput['brief']['topology']>['nodes'][number];

/**
 * Measures nodes of the chat's own topology now, some after the others. Those beyond the limit have
 * no measurement.
 */
export function lookAt({ facts }: AnswerInput, nodes: readonly NodeToMeasure[]): ToolAnswer[] {
  const looks = nodes.flatMap(({ firstLook }) => firstLook).slice(0, MOST);
  const keyOf = (tool: string, args: object) => JSON.stringify([tool, args]);
  const done = new Map(facts.answers.map((each) => [keyOf(each.tool, each.args), each]));
  const missing = looks.filter(({ tool, args }) => !done.has(keyOf(tool, args)));
  if (missing.length > 0) throw new LookUp(missing.slice(0, MOST_AT_ONCE));
  return looks.flatMap(({ tool, args }) => done.get(keyOf(tool, args)) ?? []);
}
