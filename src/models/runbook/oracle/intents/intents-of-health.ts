import * as answer from '../answers/answers.js';
import * as others from '../answers/others.js';
import type { Intent } from './intent.js';
import { measure } from '../measured/measure.js';
import { anyOf, oneOf } from './patterns.js';
import { hasName } from '../reading/understands.js';
import { WORDS } from '../reading/vocabulary.js';

/**
 * Matches questions about many diagnoses or systems, and about the meaning of a word: no findings
 * of one diagnosis answer them.
 */
const NO_FINDINGS =
  /\b(?:which|what|all|list)\b.*\b(?:runs|diagnoses|executions|topologies|systems)\b|\bwhat(?:'s| is| are| does| do)\s+an?\b/;

/** What a system is that does not work. */
const BROKEN = oneOf(
  /broken|down|failing|failed|unhealthy|not (?:healthy|ok|okay|fine|well|up|working)/,
  /degraded|red|sick|slow|unstable|flaky|on fire|burning/,
);

/** What a system may be that is asked for with a time. */
const FAULTY = oneOf(/broken|down|failing|unhealthy|wrong|affected|degraded|red|sick|slow/);

/** What a system is that works. */
const WORKING = oneOf(/ok|okay|up|fine|good|green|normal|stable|alright|healthy|well|working/);

/** The states by which systems are listed. */
const HEALTH = oneOf(
  /healthy|unhealthy|fine|well|ok|okay|good|green|up|working|broken|down|failing|red/,
  /degraded/,
);

/** What a node may be, now or again. */
const NODE_STATES = oneOf(
  /ok|okay|good|up|down|alive|reachable|healthy|unhealthy|broken|well|slow|fine|working/,
  /responding|degraded|fixed|resolved|solved|recovered|back|better|over|failing|running/,
  /stable|unstable|flaky|available|unavailable|unresponsive|overloaded|offline|dead|stuck/,
  /hanging|crashing|restarting|flapping/,
);

/** What may be wrong with a node. */
const FAULTS = oneOf(
  /broken|down|failing|wrong|unhealthy|degraded|problems?|issues?|errors?|warnings?/,
);

/** Words of a question about what a diagnosis found. */
const FINDING_WORDS = oneOf(
  /wrong|happen\w*|find|findings?|found|caus(?:es?|ed|ing)|reports?|results?|summary/,
  /problems?|issues?|trouble|fail\w*|errors?|broken?|down|incidents?|outages?|slow|matter/,
  /affected|going on|blame|explain|details?|more|diagnosis|verdicts?|say|says|tell|know/,
  /degraded|unhealthy|failing|summari[sz]e|tl;?dr|conclusions?|conclude[ds]?|affects?|about/,
  /rca|up with|situation|culprits?|symptoms?|alerts?|alarms?|warnings?|returns?|answers?/,
  /responds?|come(?:s|ing)? from|measurements?/,
);

/** What people report that they cannot do. */
const CANNOT = oneOf(/can(?:'t|not| not)|could(?:n't| not)|unable to|no longer|complain\w*/);

/** Questions about what is healthy or broken, and what a diagnosis found to be wrong. */
export const INTENTS_OF_HEALTH: readonly Intent[] = [
  {
    words: WORDS.everywhere,
    pattern: anyOf(
      new RegExp(
        `\\b(?:is|are|what'?s)\\b.*\\b${FAULTY}\\b.*\\b(?:now|currently|at the moment|everywhere|overall)\\b`,
      ),
      new RegExp(
        `^\\W*(?:what(?:'s| is| are| has| have)?|which (?:systems|topologies|services)(?: are| have)?|(?:is )?any(?:thing)?)\\s+(?:still |else )?${BROKEN}\\W*$`,
      ),
      new RegExp(
        `^\\W*(?:is|are) (?:we|everything|all(?: the)?(?: systems| topologies| services)?) ${WORKING}\\W*$`,
      ),
      /^\W*all (?:ok|okay|fine|good|green|well|clear)\W*$/,
      /\bsituation\b/,
      /^\W*(?:how(?:'s| is| are) (?:it going|things|everything)|what(?:'?s| is) up)\W*$/,
      /\b(?:summary|overview|status|verdicts?|state|health)\b.*\b(?:all|every|each)\b/,
      /\b(?:worst|most (?:urgent|critical))\b/,
      /\boverview\b/,
      new RegExp(`\\b(?:which|what|list|show|how many)\\b(?!.*\\bnodes?\\b).*\\b${HEALTH}\\b`),
    ),
    example: 'what is broken right now?',
    fits: ({ brief }) => brief.topology === null,
    isNameless: true,
    answer: others.everywhere,
  },
  {
    words: WORDS.measure,
    pattern: anyOf(
      new RegExp(`^\\W*(?:is|are|was|were|which of)\\b.*\\b${NODE_STATES}\\b`),
      /^\W*(?:has|have)\b.*\b(?:recovered|come back)\b/,
      /^\W*did (?:it|that|(?:the|my|our) (?:fix|restart|rollback|deploy|change)) (?:work|help)/,
      /^\W*did\b.*\brecover\b/,
      /^\W*(?:does|do)\b.*\bworks?\b/,
      /^\W*still\b/,
      /^\W*(?:please |can you )*(?:check|probe|ping|measure|test)\b/,
      /\bhow (?:(?:healthy|well) )?(?:is|are)\b/,
      /\b(?:status|state|health|condition)\b/,
      /\b(?:broken|down|failing)\b.*\bnow\b/,
      new RegExp(
        `^\\W*(?:what(?:'s| is| are)|(?:(?:is|are) (?:there )?)?any(?:thing)?)\\s+(?:still |else )?${FAULTS}\\W*$`,
      ),
    ),
    example: 'is payments ok?',
    needsSubject: true,
    isOfEach: true,
    answer: measure,
  },
  {
    words: WORDS.explain,
    pattern: anyOf(
      new RegExp(`\\b${FINDING_WORDS}\\b`),
      /^\W*(?:and |so )*what(?:'s| is| was) (?:it|this|that)\W*$/,
      /^\W*did (?:it|that|(?:the|my|our) (?:fix|restart|rollback|deploy|change)) (?:work|help)/,
      /\b(?:last|latest|newest) (?:run|execution)\b/,
      /[0-9a-f]{8}-[0-9a-f]{4}-/,
    ),
    example: 'what is wrong with checkout?',
    fits: ({ question: { asks } }) => !NO_FINDINGS.test(asks),
    isOfEach: true,
    answer: answer.explain,
  },
  {
    // What failed first is the root cause.
    words: WORDS.first,
    pattern:
      /\b(?:what|which|who)\b.*\b(?:broke|failed|crashed|died|went (?:down|wrong))\b.*\bfirst\b/,
    fits: ({ question: { asks } }) => !/\b(?:runs?|diagnos[ei]s|executions?)\b/.test(asks),
    answer: answer.explain,
  },
  {
    // A name after another question, such as "and the catalog?".
    pattern: /^(?!.*\b(?:what|how|which)\b(?! about\b))/s,
    words: WORDS.name,
    fits: hasName,
    isOfEach: true,
    answer: answer.explain,
  },
  {
    // What people report asks nothing, and may be said in any words.
    words: WORDS.none,
    pattern: new RegExp(
      `^\\W*(?:(?:our|my|the|some|many|all|several|more)\\s+)*(?:customers?|users?|clients?|people|visitors|everyone|everybody)\\b.*\\b${CANNOT}(?!\\w)`,
    ),
    isAny: true,
    answer: answer.complaint,
  },
];
