/**
 * What a question that is answered with yes or no asks: whether something works, whether it
 * answers, whether something is wrong, or whether it does not answer.
 */
export type Expectation = 'well' | 'up' | 'wrong' | 'down';

const YES_OR_NO =
  /^\W*(?:(?:and|but|so|then)\W+)*(?:is|are|was|were|has|have|had|did|does|do|any|anything|still|all|everything|(?:can|could|might|may) (?:it|this|that)(?: also)? be|(?:can|could) \S+(?: still)? (?:reach|connect|resolve))\b/;

/** Whether a question is answered with yes or no. */
export const asksYesOrNo = (asks: string): boolean => YES_OR_NO.test(asks) && !/\bor\b/.test(asks);

const UP = /\b(?:up|alive|reachable|responding|running|available|online)\b/;
const WELL =
  /\b(?:ok|okay|healthy|well|fine|good|working|works?|worked|help(?:ed)?|fixed|resolved|solved|repaired|recover(?:ed)?|gone|back|better|over|come back)\b/;
const DOWN = /\b(?:down|unreachable|unavailable|unresponsive|offline|dead)\b/;
const WRONG =
  /\b(?:unhealthy|broken|degraded|failing|failed|ill|wrong|crashing|sick|problems?|issues?|errors?)\b/;

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
export function expectationOf(asks: string): Expectation | undefined {
  if (!asksYesOrNo(asks) || /\bnot\b/.test(asks)) return undefined;
  return EXPECTATIONS.find(([words]) => words.test(asks))?.[1];
}

/** Whether it is a good answer that what is expected holds. */
export const isHoped = (expected: Expectation): boolean => expected === 'well' || expected === 'up';

/** Of how many parts a question asks whether they are as it expects. */
export type Quantifier = 'any' | 'every' | 'none';

const NONE = /\b(?:nothing|none)\b/;
const EVERY =
  /\b(?:every\w*|(?<!\b(?:at|after) )all|both|whole|entire|entirely|completely|fully)\b/;
const ANY = /\b(?:any(?!\s?(?:more|longer))\w*|something|some)\b/;

/** The quantifier that a question has; undefined if it has none. */
export function quantifierOf(asks: string): Quantifier | undefined {
  if (NONE.test(asks)) return 'none';
  if (EVERY.test(asks)) return 'every';
  return ANY.test(asks) ? 'any' : undefined;
}

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
