import * as answer from '../answers/answers-of-runs.js';
import type { Intent } from './intent.js';
import { WORDS } from '../reading/vocabulary.js';
import { POSTMORTEM, postmortem } from '../what-to-do/postmortem.js';

/** Questions about runs themselves: which there are, how they ended, how long they took. */
export const INTENTS_OF_RUNS: readonly Intent[] = [
  {
    words: WORDS.postmortem,
    pattern: POSTMORTEM,
    example: 'write a postmortem',
    answer: postmortem,
  },
  {
    words: WORDS.spent,
    pattern:
      /\btokens?\b|\bcosts?\b.*\b(?:run|diagnosis|execution)\b|\b(?:run|diagnosis|execution)\b.*\bcosts?\b/,
    answer: answer.spent,
  },
  {
    words: WORDS.startedBy,
    pattern:
      /\b(?:who|why)\b.*\b(?:triggered|started|asked for|ran)\b|\bwhat (?:did|was|were)\b.*\b(?:users?|people|customers?|person)\b.*\b(?:reported|report|said|say|asked?)\b|\bwhat was asked\b/,
    answer: answer.startedBy,
  },
  {
    words: WORDS.duration,
    pattern:
      /^\W*(?:did|has|have|is|was)\b.*\b(?:it|you|run|diagnosis|execution)\b.*\b(?:finish(?:ed)?|complete[d]?|done|end(?:ed)?|cancell?ed|succeed(?:ed)?|successful(?:ly)?)\b/,
    answer: answer.ended,
  },
  {
    words: WORDS.runs,
    pattern:
      /\bwhen\b.*\b(?:last|latest|newest)\b.*\b(?:diagnos\w+|run|check\w*)\b|\bwhen\b.*\blast (?:diagnosed|checked)\b|\b(?:failed|cancell?ed|queued) (?:run|diagnosis|execution)\b|\b(?:run|diagnosis|execution)\b.*\bcancell?ed\b/,
    fits: ({ question }) => question.runIds.length === 0,
    answer: (asked) => answer.listRuns(asked, 1),
  },
  {
    words: WORDS.runs,
    pattern:
      /^\W*(?:did|has|have|were|was)\b.*\b(?:any|a|some) (?:\w+ )?(?:runs?|diagnos[ei]s|executions?)\b.*\bfail(?:ed)?\b/,
    fits: ({ question }) => question.runIds.length === 0,
    answer: answer.listFailed,
  },
  {
    words: WORDS.runs,
    pattern:
      /^(?!.*\b(?:services?|nodes?|systems?)\b)\W*(?:what(?:'s| is| are)|which (?:runs?|diagnos[ei]s|executions?) (?:is|are)|(?:is|are)(?: there)? (?:any\w*|something|an?|another|runs|diagnoses|you|the (?:run|diagnosis|execution)))\b.*\b(?:running|in progress|queued|under ?way)\b/,
    example: 'is anything running?',
    answer: answer.listActive,
  },
  {
    words: WORDS.duration,
    pattern:
      /\bhow long\b.*\b(?:take|took|run|diagnosis|execution|need)\b|\bhow (?:old|recent|fresh)\b|\b(?:up[ -]to[ -]date|outdated|out of date|stale)\b|\bduration\b|\bwhen\b.*\b(?:run|diagnosis|execution)\b.*\b(?:start\w*|beg[aiu]n|end\w*|finish\w*)\b|\bwhen (?:did|have) you\b/,
    example: 'how long did it take?',
    answer: answer.duration,
  },
  {
    words: WORDS.runs,
    pattern:
      /\b(?:list|show|which|what|all|recent|past|previous|last|latest|how many|\d+)\b.*\b(?:runs|diagnoses|executions)\b|\bhistory\b|^\W*(?:runs|diagnoses)\W*$/,
    example: 'list the runs',
    hasCount: true,
    answer: (asked) => answer.listRuns(asked, 10),
  },
];
