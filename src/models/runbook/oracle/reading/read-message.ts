import { discussedLast, hasMeasured, recoveredIn } from '../subject/earlier.js';
import { Facts, type NamedTopology } from '../facts.js';
import { withSubject, withTense } from '../subject/follow-up.js';
import { helpText } from '../help.js';
import { intentOf } from '../intents/intent-of.js';
import { mayBeWords, namedBy } from '../subject/named.js';
import { readQuestion, unknownWords, type Question, type Remark } from './question.js';
import { suspectIn } from '../replies/examples.js';
import { withSeveral } from '../subject/several.js';
import { corrected, type Correction } from './spelling.js';
import type { AnswerInput, OracleBrief } from '../answer-input.js';
import type { ToolAnswer } from '../../plan.js';

/** What an answer says to offer a diagnosis of a topology. */
const OFFER = /ask me to "diagnose topology \d+"/;

/** What a turn of the oracle has. */
export interface OracleTurn {
  brief: OracleBrief;
  answers: readonly ToolAnswer[];
  tools: ReadonlySet<string>;
}

/** Reads a message of a turn, after the earlier texts of the conversation. */
export function inputFor(
  { brief: given, answers, tools }: OracleTurn,
  userMessage: string,
  remarks: readonly Remark[],
): AnswerInput {
  const brief = { ...given, userMessage };
  const question = readQuestion(userMessage, brief.now);
  const asked = {
    brief,
    question,
    before:
      brief.run === undefined
        ? discussedLast(remarks)
        : { runId: brief.run, topologyId: brief.topology?.id },
    offered: OFFER.test(remarks.findLast(({ by }) => by === 'oracle')?.text ?? ''),
    facts: factsFor(question, answers),
    recovered: recoveredIn(remarks),
    hasMeasured: hasMeasured(remarks),
    suspect: suspectIn(remarks),
    tools,
    help: helpText(),
  };
  return withNames(withSeveral(asked, remarks));
}

/**
 * Takes the subject of a question without one from the conversation; runs are then read with what
 * is about it.
 */
export function followUp(asked: AnswerInput, remarks: readonly Remark[]): AnswerInput {
  const meant = withSubject(withTense(asked, remarks), remarks);
  return meant.question.names === asked.question.names
    ? meant
    : { ...meant, facts: new Facts(asked.facts.answers, meant.question.names) };
}

/** Reads a question anew with its corrected words. */
export function read(asked: AnswerInput, way: readonly Correction[]): AnswerInput {
  const question = readQuestion(corrected(asked.question.text, way), asked.brief.now);
  return withNames({ ...asked, question, facts: factsFor(question, asked.facts.answers) });
}

/** Reads a question anew without its names: a name may have words that ask something. */
function withNames(asked: AnswerInput): AnswerInput {
  const { question, brief, facts } = asked;
  const hasIds = question.topologyIds.length + question.runIds.length > 0;
  if (intentOf(asked)?.isNameless === true) return asked;
  const all = hasIds && unknownWords(question.rest).length === 0 ? [] : namedBy(asked);
  const readWith = (names: readonly NamedTopology[]): AnswerInput => {
    const again = readQuestion(question.text, brief.now, names);
    return { ...asked, question: again, facts: factsFor(again, facts.answers) };
  };
  const asWords = readWith([]);
  return mayBeWords(question.text, all) && intentOf(asWords) ? asWords : readWith(all);
}

const factsFor = ({ names, rest }: Question, answers: readonly ToolAnswer[]): Facts =>
  new Facts(answers, unknownWords(rest).length > 0 ? names : '');
