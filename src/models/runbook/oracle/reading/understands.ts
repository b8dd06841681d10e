import { HIDDEN } from '../../../../domain/topology/names-in-text.js';
import { namedBy } from '../subject/named.js';
import { phraseIn, subjectIn, unknownWords } from './question.js';
import type { AnswerInput } from '../answer-input.js';
import { BASE, isCommon, wordsIn } from './vocabulary.js';

/** The questions that an intent understands. */
export interface Reach {
  /**
   * The words that a question may contain besides the common ones and the names of topologies and
   * nodes.
   */
  words: ReadonlySet<string>;
  /** It may name a time. */
  hasTime?: boolean;
  /** It names no topology and no node. */
  isNameless?: boolean;
  /** It names a topology or a node, or says that it means all or what was discussed. */
  needsSubject?: boolean;
  /** It may describe a problem in any words, if it is clear of which topology. */
  isFree?: boolean;
  /** It may say anything: the answer does not depend on it. */
  isAny?: boolean;
  /** It may say how many. */
  hasCount?: boolean;
}

/**
 * Whether an intent understands every word of a question: an answer that ignores a word may answer
 * another question.
 */
export function understands(
  asked: AnswerInput,
  { words, isNameless, needsSubject, isFree, isAny, hasCount }: Reach,
): boolean {
  if (isAny === true) return true;
  const { question, brief } = asked;
  const unknown = unknownIn(asked, words).filter(
    (word) => hasCount !== true || question.count !== Number(word),
  );
  if (isNameless === true) return unknown.length === 0;
  const isNamed = question.topologyIds.length > 0 || question.runIds.length > 0;
  if (needsSubject === true && unknown.length === 0 && !isNamed)
    return question.isForAll || brief.topology !== null || namesOf(asked).size > 0;
  if (unknown.length === 0) return true;
  if (isFree === true && (isNamed || brief.topology !== null)) return true;
  const known = namesOf(asked);
  return unknown.every((word) => known.has(word)) || (isFree === true && known.size > 0);
}

/**
 * Returns the name that a question gives as its subject, if that is all that an intent does not
 * understand.
 */
export function unknownName(asked: AnswerInput, intents: readonly Reach[]): string | undefined {
  const { rest, text } = asked.question;
  const subject = subjectIn(rest) ?? phraseIn(text);
  if (subject === undefined) return undefined;
  const own = new Set(wordsIn(subject));
  const isSubject = ({ words, isNameless }: Reach): boolean => {
    const unknown = unknownIn(asked, words);
    return (
      isNameless !== true &&
      unknown.length > 0 &&
      unknown.every((word) => own.has(word) || namesOf(asked).has(word))
    );
  };
  return intents.some(isSubject) ? subject : undefined;
}

/** Returns the only word that an intent does not understand: it may be a misspelt name. */
export function unknownWord(asked: AnswerInput, intents: readonly Reach[]): string | undefined {
  const lists = intents
    .filter(({ isNameless }) => isNameless !== true)
    .map(({ words }) => unknownIn(asked, words))
    .map((words) => words.filter((word) => !isCommon(word) && !namesOf(asked).has(word)));
  return lists.find((words) => new Set(words).size === 1)?.[0];
}

/**
 * Returns the words that an intent does not understand, if they are several, one behind the other:
 * they may be one misspelt name.
 */
export function unknownPhrase(asked: AnswerInput, intents: readonly Reach[]): string | undefined {
  const phrases = intents
    .filter(({ isNameless }) => isNameless !== true)
    .map(({ words }) => unknownIn(asked, words).filter((word) => word !== HIDDEN))
    .filter(({ length }) => length > 1)
    .map((words) => words.join(' '));
  return phrases.find((phrase) => asked.question.text.includes(phrase));
}

const unknownIn = ({ question }: AnswerInput, words: ReadonlySet<string>): string[] =>
  wordsIn(question.rest).filter((word) => !BASE.has(word) && !words.has(word));

/**
 * Returns the words of the names in a question: of the topology of the chat, else of all
 * topologies.
 */
export function namesOf(asked: AnswerInput): ReadonlySet<string> {
  const hidden = wordsIn(asked.question.rest).filter((word) => word === HIDDEN);
  const all = namedBy(asked).flatMap(({ named }) => named);
  return new Set([...hidden, ...all.flatMap(wordsIn)].filter((word) => !BASE.has(word)));
}

/** Whether a question names a topology, a node or a run. */
export const hasName = (asked: AnswerInput): boolean =>
  asked.question.topologyIds.length > 0 ||
  asked.question.runIds.length > 0 ||
  (unknownWords(asked.question.rest).length > 0 && namesOf(asked).size > 0);
