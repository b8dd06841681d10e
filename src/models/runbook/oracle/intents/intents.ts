import * as answer from '../answers/answers.js';
import * as others from '../answers/others.js';
import type { Intent } from './intent.js';
import { disputed, evidence } from '../answers/evidence.js';
import { atTime } from '../over-time/at-time.js';
import { compare } from '../answers/compare.js';
import { alternatives, offersAlternatives } from '../details/alternatives.js';
import { shape, USES_IT } from '../details/about-topology.js';
import { INTENTS_OF_DETAILS } from '../details/intents-of-details.js';
import { INTENTS_OF_HEALTH } from './intents-of-health.js';
import { INTENTS_OF_RUNS } from './intents-of-runs.js';
import { INTENTS_OF_OUTLOOK, INTENTS_OF_TIME } from '../over-time/intents-of-time.js';
import { INTENTS_TO_DIAGNOSE, INTENTS_TO_REPAIR } from '../what-to-do/intents-to-act.js';
import { anyOf, oneOf } from './patterns.js';
import { hasName } from '../reading/understands.js';
import { WORDS } from '../reading/vocabulary.js';

/** What an answer is said to be. */
const WRONG = oneOf(
  /wrong|incorrect|mistaken|false|nonsense/,
  /not (?:right|true|correct|it|the (?:cause|root cause|problem))/,
);

/** How people are informed. */
const NOTIFIED = oneOf(
  /paged?|notif(?:y|ied)|alert(?:ed)?|inform(?:ed)?|told|tell|e-?mailed|e-?mail|wake|woken?/,
);

/** What is listed beside what was named. */
const OTHERS = oneOf(
  /others?|rest|remaining ones/,
  /other (?:ones|nodes|services|system|systems|topology|topologies|findings|problems|issues)/,
);

/** What interrupts a service. */
const INTERRUPTION = oneOf(
  /restart|reboot|reload|stop|kill|drain|redeploy|roll ?back|revert|fail ?over/,
);

/** Words of a question about what was at a time. */
const EVENTS = oneOf(
  /happen\w*|going on|on fire|healthy|fine|ok|okay|wrong|break|broke|broken|down|slow/,
  /fail\w*|was|were|find|found|findings?|results?|reports?|status|problems?|issues?|errors?/,
  /incidents?|outages?|trouble|root causes?|ran|runs?|diagnos[ei]s|executions?/,
);

/** The states by which nodes are listed. */
const LISTED_STATES = oneOf(
  /healthy|unhealthy|ok|okay|fine|well|good|up|working|broken|down|failing|failed|ill|sick/,
  /degraded|dead|wrong|unaffected|affected/,
);

/** Asks in which state nodes are, and not which there are. */
const STATE = new RegExp(`\\b(?:nodes|services)\\b.*\\b${LISTED_STATES}\\b`);

/** The first intent that matches and understands a question wins. */
export const INTENTS: readonly Intent[] = [
  ...INTENTS_TO_DIAGNOSE,
  {
    words: WORDS.none,
    pattern: /\bor\b/,
    example: 'is it payments or the network?',
    isAny: true,
    fits: offersAlternatives,
    answer: alternatives,
  },
  {
    words: WORDS.compare,
    pattern: anyOf(
      /\bcompar\w+\b/,
      /\bdiff(?:er\w*)?\b|\b(?:vs|versus)\b/,
      /\b(?:what|anything|something) (?:has |have )?changed\b/,
      /\bwhat changes\b/,
      /\bin common\b/,
      /\bsimilar\b/,
      /\b(?:what(?:'s| is)|anything|something) new\b/,
      /\b(?:get|gets|getting|got|become|becoming|any) (?:any )?(?:worse|better)\b/,
      /\b(?:worse|better) than\b/,
      /\bwhich\b.*\b(?:worse|better)\b/,
      /\bsame (?:reason|cause|problem|results?|findings?|verdicts?)\b/,
      /\b(?:find|found|saw|see|have|had) the same\b/,
      /\bshare[ds]?\b/,
      /\b(?:previous|earlier) (?:run|diagnosis|execution|one)\b/,
      /\b(?:run|diagnosis|execution|one) before\b/,
      /\b(?:worsen|improv)\w+\b/,
      /\btrends?\b/,
    ),
    example: 'compare the last two runs',
    hasTime: true,
    isOfSeveral: true,
    answer: compare,
  },
  ...INTENTS_TO_REPAIR,
  {
    words: WORDS.none,
    pattern: anyOf(
      new RegExp(`^\\W*(?:no\\W+)?(?:but )?(?:that|this|it|you)(?:'s| is|'re| are)\\s+${WRONG}\\b`),
      /^\W*(?:i do not|i don'?t) (?:believe|think so|agree)\b/,
    ),
    isAny: true,
    answer: disputed,
  },
  {
    words: WORDS.certainty,
    pattern: anyOf(
      /\bhow (?:sure|certain|confident|reliable|likely|probable)\b/,
      /\b(?:are|r) you\b.*\b(?:sure|certain|confident)\b/,
      /\b(?:confidence|certainty|probability)\b/,
      /^\W*(?:really|sure|certain)\W*$/,
      /^\W*(?:is|are) (?:it|this|that|you) (?:really )?(?:real|true|right|a false (?:alarm|positive|alert))\W*$/,
      /\b(?:trust|rely on|believe)\b/,
    ),
    example: 'how sure are you?',
    isOfEach: true,
    answer: others.certainty,
  },
  ...INTENTS_OF_OUTLOOK,
  ...INTENTS_OF_DETAILS,
  {
    words: WORDS.sent,
    pattern: new RegExp(
      `^\\W*(?:did|has|have|was|were|who)\\b(?=.*\\b${NOTIFIED}\\b)(?=.*\\b(?:anyone|anybody|someone|somebody|people|us|me|who)\\b)`,
    ),
    answer: others.sent,
  },
  {
    words: WORDS.suspects,
    pattern: anyOf(
      /\b(?:rul(?:e|ed|ing) out|exclude[ds]?)\b/,
      /\b(?:could|might|can|may) (?:it|that|this)(?: also)? be\b/,
      /\balternatives?\b/,
      /\bsuspect(?:s|ed)?\b/,
      /^\W*(?:is|are|was|were)\b(?! there\b).*\b(?:because of|due to|caused by|(?:the|a) (?:root )?(?:cause|culprit|problem)|to blame|at fault|involved|part of (?:it|this|that|the (?:problem|incident|outage)))\b/,
      /\bcandidates?\b/,
      /\b(?:other|another|else|possible)\b.*\b(?:causes?|explanations?|reasons?)\b/,
      /\bwhat else (?:could|might|can|may)\b/,
    ),
    example: 'what did you rule out?',
    isOfEach: true,
    answer: others.suspects,
  },
  {
    words: WORDS.others,
    pattern: anyOf(
      /\b(?:what|anything|something|nothing|everything|where|who) else\b/,
      /\belse\W*$/,
      new RegExp(
        `^\\W*(?:(?:and|but|or|what about|how about|what of|how are|what is with|show|list)\\W+)*(?:me )?(?:all )?(?:the )?${OTHERS}\\W*$`,
      ),
      /\bapart from (?:that|this|it)\b/,
      /^\W*(?:(?:so|and)\W+)*is (?:it|that|this) (?:just|only|all|everything|the only \w+)(?: (?:that|this|it|of it))?\W*$/,
    ),
    example: 'what else?',
    answer: others.others,
  },
  {
    words: WORDS.impact,
    pattern: anyOf(
      /\bblast radius\b/,
      new RegExp(
        `^\\W*(?:i|we) (?:will|am going to|are going to|want to) (?:just |now |also )*${INTERRUPTION}\\b`,
      ),
      /\bsafe to\b/,
      /\bwho else\b/,
      /\bhow (?:bad|severe|serious|critical)\b/,
      /\bimpact(?:s|ed)?\b/,
      /\b(?:what|which|who|whom|customers?|users?|people|anyone|anybody|someone)\b.*\b(?:(?<!\bnot )affected|suffer\w*|hit|hurt|notic\w*|do(?:es)?\b.*\baffect)\b/,
      /\bwhat\b.*\b(?:breaks?|fails?|happens?|dies|goes down)\b.*\b(?:if|when)\b/,
    ),
    example: 'what is the impact?',
    answer: others.impact,
  },
  {
    words: WORDS.atTime,
    pattern: new RegExp(`\\b${EVENTS}\\b`),
    example: 'what happened at 12:30?',
    fits: ({ question }) => question.time !== undefined || question.noTime !== undefined,
    hasTime: true,
    answer: atTime,
  },
  ...INTENTS_OF_RUNS,
  ...INTENTS_OF_TIME,
  {
    words: WORDS.states,
    pattern: new RegExp(
      `\\b(?:which|what|list|show|how many)\\b.*\\b(?:nodes?|services?|components?|ones|of them)\\b.*\\b${LISTED_STATES}\\b|^\\W*(?:and )?which(?: ones?)?\\W*$|^\\W*(?:and )?what(?: is| are|'s)?(?: still)? (?:works?|working|unaffected|not affected|healthy)\\W*$`,
    ),
    example: 'which nodes are healthy?',
    answer: answer.states,
  },
  {
    words: WORDS.checked,
    pattern: anyOf(
      /\b(?:what|which|did|have|has|was|were)\b.*\b(?:check(?:ed)?|look(?:ed)? at|covered?|tested|measured?|probed?)\b.*/,
      /\b(?:unchecked|skipped)\b/,
      /\bnot checked\b/,
      /\bwhat(?:'s| is) missing\b/,
      /\bwhy\b.*\bnot\b.*\b(?:checked|measured|tested|probed)\b/,
    ),
    example: 'what was checked?',
    isOfEach: true,
    answer: answer.checked,
  },
  {
    words: WORDS.shape,
    pattern: anyOf(
      /\b(?:what|which|describe|show)(?: is| me)?\s+topology\s+#?\d+\W*$/,
      /\bdepend(?:s|ed|ing|ency|encies|ents?)?\b/,
      /\b(?:up|down)stream\b/,
      /\b(?:show|describe)(?: me| us)?(?: the| our)? topology\b/,
      /\b(?:what|who|which \w+) (?:uses?|needs?|calls?|requires?|relies on|talks? to|connects? to)\b/,
      /\bwhat (?:does|do|did)\b(?! (?:i|we|you)\b).*\b(?:use|need|call|require|rely on|talk to|connect to)\b/,
      /\b(?:which|what|how many) (?:nodes|services)\b/,
      /\bnodes of\b/,
      /\b(?:draw|diagram|architecture)\b/,
      /^\W*(?:what|who)(?:'s| is| are) (?!an? )\S+(?: \S+){0,4}\W*$/,
    ),
    example: 'what depends on payments?',
    fits: (asked) =>
      asked.question.runIds.length === 0 &&
      !/\bcauses?\b/.test(asked.question.asks) &&
      !STATE.test(asked.question.asks) &&
      (!/^\W*(?:what|who)(?:'s| is| are)\b|\b(?:uses?|needs?|calls?|requires?|rel(?:y|ies)|talks?|connects?)\b/.test(
        asked.question.asks,
      ) ||
        USES_IT.test(asked.question.asks) ||
        hasName(asked)),
    answer: shape,
  },
  {
    words: WORDS.topologies,
    pattern: anyOf(
      /\b(?:list|show|which|what|all|have|know|how many)\b.*\b(?:topologies|systems)\b/,
      /^\W*topologies\W*$/,
    ),
    example: 'list the topologies',
    isNameless: true,
    answer: answer.topologies,
  },
  {
    words: WORDS.log,
    pattern: anyOf(
      /\blog(?:s|file)?\b/,
      /\bevents?\b/,
      /\bevidence\b/,
      /\bwhich measurements?\b/,
      /\bproof\b/,
      /\bprove\b/,
      /\braw\b/,
    ),
    example: 'show me the log lines',
    answer: (asked) => evidence(asked, false),
  },
  {
    words: WORDS.why,
    pattern: anyOf(
      /\bwhy\b/,
      /\bhow (?:do|did|can) you know\b/,
      /\bhow come\b/,
      /\breasons?\b/,
      /\bwhat makes you\b/,
    ),
    example: 'why?',
    isOfEach: true,
    answer: (asked) => evidence(asked, true),
  },
  ...INTENTS_OF_HEALTH,
];
