import { escapePattern, hasSwapped, isMisspelt } from '../../../../lib/text.js';
import type { AnswerInput } from '../answer-input.js';
import { isEnglish } from './english-words.js';
import { isKindWord } from '../subject/named.js';
import { namesOf } from './understands.js';
import { isCommon, VOCABULARY, wordsIn } from './vocabulary.js';

/** A word of a question, and the word that it is taken for. */
export type Correction = readonly [given: string, meant: string];

/**
 * Maximum of misspelt words, and of the words that one is close to: a text with more is not a
 * question in English.
 */
const MOST = 3;
const MOST_NEAR = 4;

/**
 * Returns the ways to correct the words that are not common, no names and no English words, each
 * with a correction of every such word.
 */
export function corrections(asked: AnswerInput): Correction[][] {
  const unknown = [...new Set(wordsIn(asked.question.rest))].filter(
    (word) => !isCommon(word) && !/\d/.test(word),
  );
  if (unknown.length === 0) return [];
  const names = namesOf(asked);
  const misspelt = unknown.flatMap((given): Correction[][] => {
    const near =
      names.has(given) || isKindWord(given) || isEnglish(given)
        ? []
        : VOCABULARY.filter((word) => isClose(given, word) && !isInflected(given, word));
    return near.length === 0
      ? []
      : [near.slice(0, MOST_NEAR).map((meant): Correction => [given, meant])];
  });
  if (misspelt.length === 0 || misspelt.length > MOST) return [];
  return misspelt.reduce<Correction[][]>(
    (ways, all) => ways.flatMap((way) => all.map((each) => [...way, each])),
    [[]],
  );
}

const isClose = (given: string, word: string): boolean =>
  word.length <= 3 ? isShortTypo(given, word) : isMisspelt(given, word);

/** Of a short word: two neighbours are exchanged, or one of three letters is missing. */
const isShortTypo = (given: string, word: string): boolean =>
  hasSwapped(given, word) ||
  (given.length === 2 &&
    word.length === 3 &&
    [...word].some((_, i) => word.slice(0, i) + word.slice(i + 1) === given));

/**
 * Whether a word has only a letter more at its end, and not the last one twice: "known" is no
 * misspelt "know".
 */
const isInflected = (given: string, word: string): boolean =>
  given.startsWith(word) && given.at(-1) !== given.at(-2);

/** Replaces words of a text. */
export const corrected = (text: string, all: readonly Correction[]): string =>
  all.reduce((left, [given, meant]) => replaceWord(left, given, meant), text);

const replaceWord = (text: string, given: string, meant: string): string =>
  text.replaceAll(
    new RegExp(`(?<![\\p{L}\\p{N}_])${escapePattern(given)}(?![\\p{L}\\p{N}_])`, 'gu'),
    () => meant,
  );

/** Says which words were taken for others. */
export const correctionText = (all: readonly Correction[]): string =>
  `I read ${all.map(([given, meant]) => `"${given}" as "${meant}"`).join(' and ')}.`;

/** Returns the corrections that an answer says. */
export const correctionsIn = (answer: string): Correction[] => {
  const [said = ''] = /^I read ".*" as ".*"\.$/m.exec(answer) ?? [];
  return [...said.matchAll(/"([^"]+)" as "([^"]+)"/g)].map(([, given = '', meant = '']) => [
    given,
    meant,
  ]);
};
