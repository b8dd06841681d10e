import type { AnswerInput } from '../answer-input.js';
import { understands, unknownName, unknownPhrase, unknownWord } from '../reading/understands.js';
import type { Intent } from './intent.js';
import { INTENTS } from './intents.js';

/** Returns the intent of a question; undefined if the question is not understood. */
export const intentOf = (asked: AnswerInput): Intent | undefined =>
  INTENTS.find((each) => isAbout(asked, each) && understands(asked, each));

/**
 * Returns the name in a question that would be understood if a topology or a node had that name.
 */
export const unknownIn = (asked: AnswerInput): string | undefined =>
  unknownName(asked, fittingTo(asked));

/** Returns the only word of a question that is not understood. */
export const unknownWordIn = (asked: AnswerInput): string | undefined =>
  unknownWord(asked, fittingTo(asked));

/** Returns the only words of a question that are not understood, if they stand together. */
export const unknownPhraseIn = (asked: AnswerInput): string | undefined =>
  unknownPhrase(asked, fittingTo(asked));

const fittingTo = (asked: AnswerInput): Intent[] => INTENTS.filter((each) => isAbout(asked, each));

/** Whether a question matches an intent; it may have words that the intent does not understand. */
function isAbout(asked: AnswerInput, { pattern, fits, hasTime = false }: Intent): boolean {
  const { asks, time, noTime } = asked.question;
  const isTimed = time !== undefined || noTime !== undefined;
  return pattern.test(asks) && (hasTime || !isTimed) && (fits?.(asked) ?? true);
}

/** Returns an example of each kind of question, the most usual ones first. */
export const examples = (): string[] =>
  INTENTS.toReversed().flatMap(({ example }) => (example === undefined ? [] : [example]));
