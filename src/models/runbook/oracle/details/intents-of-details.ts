import { unknownWords } from '../reading/question.js';
import type { Intent } from '../intents/intent.js';
import { suspects } from '../answers/others.js';
import { WORDS } from '../reading/vocabulary.js';
import { aboutTopic } from './about-topic.js';
import { culprit, kinds, path, people, settings, teams } from './about-topology.js';
import { history } from './history.js';
import { anyOf } from '../intents/patterns.js';
import { hasName } from '../reading/understands.js';
import { EXCEPT, ONLY, onlyThat } from './only.js';
import { CHANGES, topicIn } from './topics.js';

/** Asks what a word means. */
const MEANING = /\bwhat(?:'s| is| are| does| do) an? (?:\S+ )?\S+\W*$|\bmeans?\b/;

/** Questions about one detail: of a topology, of the measurements, of what was found before. */
export const INTENTS_OF_DETAILS: readonly Intent[] = [
  {
    words: WORDS.only,
    pattern: anyOf(ONLY, EXCEPT),
    example: 'is it only payments?',
    fits: hasName,
    isOfSeveral: true,
    answer: onlyThat,
  },
  {
    words: WORDS.kinds,
    pattern: /\b(?:what|which) (?:kind|type|sort) of\b/,
    answer: kinds,
  },
  {
    words: WORDS.isKind,
    pattern: /^\W*(?:is|are) \S+ an? \w+\W*$/,
    answer: kinds,
  },
  {
    words: WORDS.path,
    pattern:
      /\b(?:path|way|route|chain|connection)s? (?:from|between)\b|\bhow (?:does|do|is|are)\b.*\b(?:reach|connected|get to|relate\w*)\b/,
    example: 'what is the path from shop to payments?',
    answer: path,
  },
  {
    words: WORDS.teams,
    pattern:
      /\b(?:which|what|how many|list|show)(?: me)?(?: the| all)* (?:teams?|agents?)\b(?!.*\b(?:measur|find|found|sa[iy]|report))|\bwho (?:looks after|watches|takes care of)\b/,
    example: 'which team looks after payments?',
    answer: teams,
  },
  {
    words: WORDS.people,
    pattern:
      /\bwho (?:owns|maintains|is responsible|is on.?call)\b|\bwhom? (?:do|should|can|must|could) (?:i|we) (?:call|page|contact|ask|phone|wake|escalate|talk)\b/,
    answer: people,
  },
  {
    words: WORDS.culprit,
    pattern: /^\W*who(?:'s| is| has| have)? (?:broke|changed|caused|did)\b(?!.*\bfirst\b)/,
    answer: culprit,
  },
  {
    words: WORDS.settings,
    pattern: /\b(?:endpoints?|address(?:es)?|urls?|ports?|ips?|thresholds?|attributes?)\b/,
    answer: settings,
  },
  {
    words: WORDS.history,
    pattern:
      /\bhow (?:often|many times|frequently)\b|\b(?:happen\w*|occur\w*|seen) (?:\w+ )?before\b|\brecurring\b|^\W*(?:(?:and|but|so) )*(?:is|are|was|were|has|have|did|had)\b.*\bever\b|\bwhen (?:was|were|has|have)\b.*\b(?:broken|down|unhealthy|failing|ill|bad|sick|unreachable)\b/,
    example: 'how often did payments fail?',
    hasTime: true,
    isOfEach: true,
    answer: history,
  },
  {
    words: WORDS.topic,
    pattern: CHANGES,
    fits: ({ question }) => question.time !== undefined,
    hasTime: true,
    isOfEach: true,
    answer: (asked) =>
      `${aboutTopic(asked)}\nThat is not limited to a time: no measurement says when something was changed.`,
  },
  {
    words: WORDS.topic,
    pattern: /\S/,
    example: 'how slow is payments?',
    fits: ({ question: { asks } }) =>
      topicIn(asks) !== undefined && !/\b(?:since when|or)\b/.test(asks) && !MEANING.test(asks),
    isOfEach: true,
    answer: aboutTopic,
  },
  {
    // A name as a guess: "is it the database?"
    words: WORDS.suspects,
    pattern: /^\W*(?:is|was|are|were|could|might|can|may) (?:it|this|that)\b/,
    fits: ({ question: { rest } }) => unknownWords(rest).length > 0,
    answer: suspects,
  },
];
