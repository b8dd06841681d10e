import { oneOf } from '../intents/patterns.js';
import type { Question } from '../reading/question.js';

/**
 * What a question that is answered with yes or no asks: whether something works, whether it
 * answers, whether something is wrong, or whether it does not answer.
 */
export type Expectation = 'well' | 'up' | 'wrong' | 'down';

const YES_OR_NO =
  /^\W*(?:(?:and|but|so|then)\W+)*(?:is|are|was|were|has|have|had|did|does|do|any|anything|still|all|everything|(?:can|could|might|may) (?:it|this|that)(?: also)? be|(?:can|could) \S+(?: still)? (?:reach|connect|resolve))\b/;

const UP = /\b(?:up|alive|reachable|responding|running|available|online)\b/;
const WELL =
  /\b(?:ok|okay|healthy|well|fine|good|working|works?|worked|help(?:ed)?|fixed|resolved|solved|repaired|recover(?:ed)?|gone|back|better|over|come back)\b/;
const DOWN = /\b(?:down|unreachable|unavailable|unresponsive|offline|dead)\b/;
const WRONG =
  /\b(?:unhealthy|broken|broke|break|degraded|fail|failing|failed|ill|wrong|crash|crashed|crashing|sick|affected|problems?|issues?|errors?|outages?|incidents?)\b/;

const STATE = oneOf(UP, WELL, DOWN, WRONG);
/** "Is A or B down?", "is anything wrong with A or B?": whether any of them is. */
const ANY_OF = new RegExp(
  `^\\W*(?:(?:and|but|so|then)\\W+)*\\w+ (?!(?:it|this|that|there)\\b).*\\bor\\b.*${STATE}|${STATE}.*\\b(?:with|of|in|at|on)\\b.*\\bor\\b`,
);
/** "Is it up or down?" asks which, as "is it A or B?" does. */
const STATE_OR = new RegExp(`${STATE} (?:again )?or\\b`);

/** Whether a question is answered with yes or no. */
export const asksYesOrNo = (asks: string): boolean =>
  YES_OR_NO.test(asks) && (!/\bor\b/.test(asks) || (ANY_OF.test(asks) && !STATE_OR.test(asks)));

const EXPECTATIONS: readonly (readonly [RegExp, Expectation])[] = [
  [WELL, 'well'],
  [UP, 'up'],
  [DOWN, 'down'],
  [WRONG, 'wrong'],
];

/**
 * Undefined: the question is not answered with yes or no, or asks for something that not every
 * measurement shows. No measurement of a moment shows whether something is stable.
 */
export const expectationOf = (asks: string): Expectation | undefined =>
  asksYesOrNo(asks) && !/\bnot\b/.test(asks) ? stateAskedFor(asks) : undefined;

/** Returns the state that a question is about. */
export const stateAskedFor = (asks: string): Expectation | undefined =>
  EXPECTATIONS.find(([words]) => words.test(asks))?.[1];

/** Whether it is a good answer that what is expected holds. */
export const isHoped = (expected: Expectation): boolean => expected === 'well' || expected === 'up';

/** Of how many parts a question asks whether they are as it expects. */
export type Quantifier = 'any' | 'every' | 'none';

const NONE = /\b(?:nothing|none|neither|nor)\b/;
const EVERY =
  /\b(?:every\w*|(?<!\b(?:at|after) )all|both|whole|entire|entirely|completely|fully)\b/;
const ANY = /\b(?:any(?!\s?(?:more|longer))\w*|something|some|either|or)\b/;

/** The quantifier that a question has; undefined if it has none. */
export function quantifierOf(asks: string): Quantifier | undefined {
  if (NONE.test(asks)) return 'none';
  if (EVERY.test(asks)) return 'every';
  return ANY.test(asks) ? 'any' : undefined;
}

/** As `quantifierOf`, of a question that names nodes: "are A and B down?" is about every one. */
export const quantifierFor = (
  { asks, isInherited }: Question,
  named: readonly unknown[],
): Quantifier | undefined =>
  quantifierOf(asks) ?? (named.length > 1 && !isInherited ? 'every' : undefined);

/**
 * What a question without a quantifier asks of something with parts: it is well only if every part
 * is, and wrong if any part is.
 */
export const usualQuantifier = (expected: Expectation): Quantifier =>
  isHoped(expected) ? 'every' : 'any';

/**
 * Whether what is expected holds for as many parts as a question asks.
 * @param parts whether it holds for each part; undefined: that is not known
 */
export function holdsFor(
  quantifier: Quantifier,
  parts: readonly (boolean | undefined)[],
): boolean | undefined {
  // A part for which it holds decides "any" and "none", one for which it does not "every".
  if (parts.includes(quantifier !== 'every')) return quantifier === 'any';
  if (parts.includes(undefined) || parts.length === 0) return undefined;
  return quantifier !== 'any';
}

/** An answer to whether something holds. */
export const yesOrNo = (holds: boolean | undefined): string =>
  holds === undefined ? 'I cannot tell.' : holds ? 'Yes.' : 'No.';
