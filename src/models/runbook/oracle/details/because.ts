import { needsOf } from '../../../../domain/topology/needs-of.js';
import { nodesIn } from '../../../../domain/topology/names-in-text.js';
import { list } from '../../plan.js';
import type { Shape } from '../facts.js';
import type { Question } from '../reading/question.js';

/** "Is A slow because of B?" */
export interface CausalQuestion {
  /** Of which it asks whether something is wrong: A. */
  effects: Shape['nodes'];
  /** Which may be the reason: B. */
  causes: Shape['nodes'];
}

const BECAUSE = /\b(?:because(?: of)?|due to|caused by)\b/;

/**
 * Reads which nodes a question takes for the reason of faults at which others; undefined if it
 * names only one side.
 */
export function becauseIn(
  { text, names }: Question,
  shape: Shape | undefined,
): CausalQuestion | undefined {
  const [front = '', ...rest] = text.split(BECAUSE);
  const ofFront = new Set(nodesIn(front, shape));
  const [effects, causes] = [true, false].map((isEffect) =>
    nodesIn(names, shape).filter((node) => ofFront.has(node) === isEffect),
  );
  return rest.length > 0 && effects?.length && causes?.length ? { effects, causes } : undefined;
}

/**
 * Says whether faults at some nodes come from others: only if these are wrong, and the first
 * depend on them.
 */
export function becauseText(
  { effects, causes }: CausalQuestion,
  { nodes }: Pick<Shape, 'nodes'>,
  stateOf: (node: string) => 'wrong' | 'ok' | 'unknown',
): string {
  const needs = effects.map(({ id }) => needsOf(nodes, id));
  const linked = causes.filter(({ id }) => needs.every((each) => each.includes(id)));
  const [one, many] = effects.length === 1 ? ['depends', 'does'] : ['depend', 'do'];
  if (linked.length === 0)
    return `No, not by the topology: ${namesOf(effects)} ${many} not depend on ${namesOf(causes)}.`;
  const those = (state: string) => linked.filter(({ id }) => stateOf(id) === state);
  const [wrong, unknown] = [those('wrong'), those('unknown')];
  if (wrong.length > 0)
    return `Yes. ${namesOf(effects)} ${one} on ${namesOf(wrong)}, and something is wrong there.`;
  return unknown.length > 0
    ? `I cannot tell: of ${namesOf(unknown)} it was not measured.`
    : `No. Nothing was found to be wrong with ${namesOf(linked)}.`;
}

const namesOf = (nodes: Shape['nodes']): string => list(nodes.map(({ name }) => name));
