import type { Intent } from '../intents/intent.js';
import { WORDS } from '../reading/vocabulary.js';
import { OUTLOOK, outlook } from './outlook.js';
import { recoveredWhen, since, whatRecovered } from './since.js';
import { STABILITY, stability } from './stability.js';

/** Questions about what no measurement of a moment shows. */
export const INTENTS_OF_OUTLOOK: readonly Intent[] = [
  {
    words: WORDS.outlook,
    pattern: OUTLOOK,
    example: 'will it recover?',
    isOfEach: true,
    answer: outlook,
  },
  {
    words: WORDS.stability,
    pattern: STABILITY,
    example: 'is payments stable?',
    fits: (asked) => !asked.question.isUnbound || asked.brief.topology !== null,
    isOfEach: true,
    answer: stability,
  },
];

/** Questions about when faults began and ended, which the diagnoses of a topology show. */
export const INTENTS_OF_TIME: readonly Intent[] = [
  {
    words: WORDS.recovered,
    pattern:
      /^(?!.*\blast\b).*\bwhen\b.*\b(?:recover\w*|(?:come|came|was|were|be) (?:back|well|ok|okay|fine|healthy|up|good)|fixed|resolved|solved|repaired|over|stop(?:ped)?)\b/,
    example: 'when did payments recover?',
    isOfEach: true,
    answer: recoveredWhen,
  },
  {
    words: WORDS.recovered,
    pattern:
      /^\W*(?:and )?(?:what|which|who|did any\w*|has any\w*|have any\w*)\b.*\brecover(?:ed|s)?\b/,
    example: 'what recovered?',
    answer: whatRecovered,
  },
  {
    words: WORDS.since,
    pattern:
      /\b(?:was|were|has|did|had)\b.*\b(?:before|earlier|previously)\b|\bsince when\b|^\W*(?:(?:and|for|but|so) )*how long\W*$|\bhow long (?:has|have|is|was)\b|\b(?:how long )?did\b.*\b(?:go on|stay|remain)\b|\bwhen (?:did|has|was)\b.*\b(?:start\w*|beg[aiu]n|break|broke|fail\w*|happen\w*|first|go|went)\b|\bfirst (?:seen?|found|fail\w*)\b|\blast (?:healthy|well|ok|okay|fine|good|up|work\w*)\b|\bfound\b.*\bfirst\b|^\W*when was last\b/,
    example: 'since when?',
    isOfEach: true,
    answer: since,
  },
];
