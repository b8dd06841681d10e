import * as answer from '../answers/answers.js';
import type { Intent } from '../intents/intent.js';
import { asksForDiagnosis } from '../../../../domain/chat/asks-for-diagnosis.js';
import { COMMAND, refuseCommand } from './commands.js';
import { topicIn } from '../details/topics.js';
import { anyOf, oneOf } from '../intents/patterns.js';
import { WORDS } from '../reading/vocabulary.js';
import { diagnose } from './diagnose.js';
import { MAY_ACT, MAY_NEGLECT, mayAct, mayNeglect } from './may-i.js';
import { CHANGE, nextSteps, stepsToDo } from './next-steps.js';

const POLITE_WORDS = oneOf(
  /please|now|so|ok|okay|and/,
  /then|can you|could you|would you/,
  /will you|let'?s|i want you to|i'd like you to|you should/,
);
const POLITE = `(?:${POLITE_WORDS}[\\s,]+)*`;
const AGAIN = /\b(?:again|once more|one more time|anew)\b/;

/** Orders to diagnose, or to diagnose again. */
const DIAGNOSE = oneOf(
  /(?:re-?)?diagnose/,
  /investigate/,
  /troubleshoot/,
  /(?:start|trigger|launch|kick off|begin|run|do|make) (?:(?:a|an|the|another|new|fresh) )*(?:diagnosis|investigation|run)\b/,
  /(?:re-?)?(?:run|check|measure|test|try)(?: (?:it|that|this|them|everything))?(?: all)? (?:again|once more|anew)\b/,
  /(?:retry|re-?run|re-?check)\b/,
);

/** Questions that open a page of the console, or ask for a diagnosis. */
export const INTENTS_TO_DIAGNOSE: readonly Intent[] = [
  {
    words: WORDS.open,
    pattern: /\b(?:open|go to|navigate to|take me to|bring up)\b/,
    example: 'open the runs page',
    fits: ({ question }) => answer.pageIn(question) !== undefined,
    isNameless: true,
    answer: answer.openPage,
  },
  {
    words: WORDS.diagnose,
    pattern: anyOf(
      new RegExp(`^\\W*${POLITE}${DIAGNOSE}`),
      /\bplease (?:re-?)?(?:diagnose|investigate|troubleshoot)(?: it)?(?: again)?\W*$/,
    ),
    example: 'diagnose topology N',
    isFree: true,
    hasTime: true,
    answer: diagnose,
  },
  {
    words: WORDS.diagnose,
    pattern: /\b(?:again|once more|one more time|anew|check|probe|measure|test)\b/,
    fits: ({ question, brief }) =>
      asksForDiagnosis(question.asks) && (brief.topology === null || AGAIN.test(question.asks)),
    isFree: true,
    answer: diagnose,
  },
  {
    // The person accepts an offer of the last answer.
    words: WORDS.accept,
    pattern:
      /^\W*(?:(?:y|yes|yep|yup|yeah|sure|please|go ahead|proceed|do (?:it|that|so|this))\b[\s,.!]*)+$/,
    fits: ({ offered }) => offered,
    answer: diagnose,
  },
];

const FIX = '(?:fix|solve|repair|resolve|mend|recover|restart|roll(?: it)? back)';

const HOW_TO = '\\bhow (?:to|(?:do|can|should|could|would) (?:i|we|you))\\b';
const DO_IT = new RegExp(`${HOW_TO} ${CHANGE} (?:it|this|that|them)\\b`);

/** Questions about how to repair what is broken, and orders to do so. */
export const INTENTS_TO_REPAIR: readonly Intent[] = [
  {
    words: WORDS.acts,
    pattern: MAY_NEGLECT,
    example: 'can I ignore it?',
    answer: mayNeglect,
  },
  {
    words: WORDS.acts,
    pattern: MAY_ACT,
    example: 'should I restart payments?',
    answer: mayAct,
  },
  {
    words: WORDS.nextSteps,
    pattern: anyOf(
      new RegExp(`\\bhow (?:do|can|should|could|would|is|to)\\b.*\\b${FIX}(?:e?d)?\\b`),
      new RegExp(`\\bhelp (?:me|us)(?: to)? ${FIX}\\b`),
      /\bnext steps?\b/,
      /\bcommands?\b/,
      /\b(?:runbook|playbook)s?\b/,
      /\bwhere (?:do|should|can|could) (?:i|we) (?:start|begin|look)\b/,
      /\bwhat (?:should|can|do|must|could|shall|would) (?:i|we|you) (?:do|try|check|look|recommend|suggest|restart|change|fix|use)\b/,
      new RegExp(
        `\\bwhich\\b.*\\b(?:should|must|shall|do) (?:i|we) (?:${FIX}|do|check|start|begin|look|restart|change)\\b`,
      ),
      /\bfirst (?:thing|step)\b/,
      /\b(?:left|still) to (?:do|fix)\b/,
      /^\W*(?:and |so )*(?:which|what)(?: ones?| of them)?(?: (?:is|are|goes|comes))? first\W*$/,
      /\bprioriti[sz]e\b/,
      /\bwhat(?:'s| is| comes)? next\b/,
      /^\W*(?:and )?(?:now what|what now)\W*$/,
      /\b(?:recommend\w*|suggest\w*|advice|advise|remedy|workaround|mitigat\w+|solution)\b/,
    ),
    example: 'how do I fix it?',
    answer: nextSteps,
  },
  {
    words: WORDS.nextSteps,
    pattern: new RegExp(`${HOW_TO}.*\\b${CHANGE}\\b`),
    fits: ({ question: { asks } }) => topicIn(asks) !== undefined,
    answer: nextSteps,
  },
  {
    words: WORDS.nextSteps,
    pattern: DO_IT,
    answer: stepsToDo,
  },
  {
    words: WORDS.repairs,
    pattern: anyOf(
      /\brepair(?:s|ed)\b/,
      /\b(?:did|has|have) (?:any|some)(?:one|body)\b.*\bfix(?:ed)?\b/,
      /\bapprov(?:e|ed|als?)\b/,
      /\bwhat (?:has |have )?(?:fixed|solved|resolved)\b/,
    ),
    example: 'what waits for an approval?',
    answer: answer.repairs,
  },
  {
    words: WORDS.none,
    pattern: COMMAND,
    isAny: true,
    answer: refuseCommand,
  },
];
