import type { AnswerInput } from '../answer-input.js';
import { explain } from '../answers/answers.js';
import { history } from '../details/history.js';
import { isSaid } from '../subject/subject.js';

/** Asks what will be. */
export const OUTLOOK =
  /^\W*(?:(?:and|but|so|then)\W+)*(?:will (?!i\b|we\b|you\b)|(?!what\b|who\b|how\b|which\b)(?:\S+ ){1,4}will (?:then )?(?:be|work|recover|come back|go away)\b|when will\b|how (?:long will|much longer)\b|(?:is|are) \S+ (?:going to|about to)\b|what(?:'?s| is) (?:the|our) eta\b|(?:any )?eta\b)/;
const AGAIN = /\b(?:again|recur|repeat)\b/;

/** Says that measurements do not show what will be, and what was found; or how often it was. */
export function outlook(asked: AnswerInput): string {
  const isOfPast = AGAIN.test(asked.question.asks) && isSaid(asked);
  return [
    'I cannot tell: measurements show what was, not what will be.',
    isOfPast ? history(asked) : explain(asked),
  ].join('\n');
}
