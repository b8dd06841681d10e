import type { AnswerInput } from '../answer-input.js';
import { isEverywhere, understoodOf } from './earlier.js';
import { namedBy } from './named.js';
import { readQuestion, unknownWords, type Question, type Remark } from '../reading/question.js';
import { asksForPast } from '../over-time/tense.js';
import { isPart } from '../reading/vocabulary.js';
import { corrected, correctionsIn } from '../reading/spelling.js';

/** Maximum of earlier questions among which the subject of a follow-up is looked for. */
const BACK = 4;

/** What a question is about that names nothing, if it refers to nothing either. */
const SUBJECT =
  /\b(?:nodes|services|systems|topolog(?:y|ies)|apps|applications|components|overall|site|platform|prod(?:uction)?|runs?|diagnos[ei]s|executions?|root causes?|reports?|summary|overview|verdicts?|we|us)\b/;
const EVERYTHING =
  /\b(?:everything|everywhere|all|which (?:one|of))\b|^\W*(?:(?:is|are) there )?any\b/;
/** Asks which nodes are in a state: "what is not checked?" */
const ASKS_WHICH =
  /^\W*(?:and )?(?:what|who|which)(?:'s| is| are| was| were| has| have)?(?: been| still| not)* (?:slow|down|broken|failing|unhealthy|degraded|checked|unchecked|measured|tested|probed|covered|skipped|missing|recovered)\b|^\W*(?:and )?(?:what|which)\b.* (?:did|have|has)\b.* (?:check|measure|test|probe|cover)(?:e?d)?\W*$/;
/** Asks for a diagnosis, or did so: which is of a whole topology. */
const DIAGNOSE = /\b(?:re-?)?diagnose\b/;
/** Asks the question before of another topology: "and in the blog?" */
const ELSEWHERE = /^\W*(?:and|but|what about|how about)\W+(?:is (?:it|that) )?(?:in|on|for|of)\b/;
const REFERRING = /\b(?:it|its|they|them|their|there)\b/;

/** Whether a question says what it is about. */
export const hasSubject = ({
  asks,
  rest,
  topologyIds,
  runIds,
  latest,
  isUnbound,
}: Question): boolean =>
  topologyIds.length + runIds.length > 0 ||
  latest ||
  isUnbound ||
  !unknownWords(rest).every(isPart) ||
  EVERYTHING.test(asks) ||
  ASKS_WHICH.test(asks) ||
  (SUBJECT.test(asks) && !REFERRING.test(asks));

/**
 * Gives a question without a subject of its own, or with another topology only, the names of the
 * last question that named something. A question about everything in between, or an answer about
 * all topologies, ends that.
 * @param remarks earlier texts of the conversation, oldest first
 */
export function withSubject(asked: AnswerInput, remarks: readonly Remark[]): AnswerInput {
  const isElsewhere = ELSEWHERE.test(asked.question.asks);
  if (hasSubject(asked.question) && !isElsewhere) return asked;
  const names = namesBefore(asked, remarks);
  return names === undefined
    ? asked
    : {
        ...asked,
        question: {
          ...asked.question,
          names: isElsewhere ? `${asked.question.names} , ${names}` : names,
          isInherited: true,
        },
      };
}

/** Asks further about the question before, without a verb of its own: "why?", "how long?" */
const WITHOUT_VERB =
  /^\W*(?:(?:and|but|so|ok|okay)\W+)*(?:why|how come|(?:for )?how long|since when|when|how bad|who(?: else)?|what else)\W*$/;

/** Takes the tense of a question without a verb from the question before. */
export function withTense(asked: AnswerInput, remarks: readonly Remark[]): AnswerInput {
  if (!WITHOUT_VERB.test(asked.question.asks)) return asked;
  const before = understoodOf(remarks)
    .filter(({ by }) => by === 'person')
    .map(({ text }) => readQuestion(text, asked.brief.now))
    .findLast(({ asks }) => !WITHOUT_VERB.test(asks));
  const isOfPast = before !== undefined && asksForPast(before);
  return isOfPast ? { ...asked, question: { ...asked.question, isOfPast } } : asked;
}

function namesBefore(asked: AnswerInput, remarks: readonly Remark[]): string | undefined {
  let answer = '';
  let left = BACK;
  for (const { by, text } of understoodOf(remarks).toReversed()) {
    if (left === 0) return undefined;
    if (by === 'oracle') {
      if (isEverywhere(text)) return undefined;
      answer = text;
      continue;
    }
    left--;
    const { now } = asked.brief;
    const plain = readQuestion(text, now);
    const question = readQuestion(corrected(plain.text, correctionsIn(answer)), now);
    const named = namedBy({ ...asked, question });
    if (named.length > 0) return readQuestion(question.text, now, named).names;
    // A new diagnosis is about all nodes.
    if (hasSubject(question) || DIAGNOSE.test(question.asks)) return undefined;
    answer = '';
  }
  return undefined;
}
