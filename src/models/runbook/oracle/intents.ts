import { asksForDiagnosis } from '../../../domain/chat/asks-for-diagnosis.js';
import { COMMAND, refuseCommand } from './what-to-do/commands.js';
import * as answer from './answers.js';
import { disputed, evidence } from './evidence.js';
import * as others from './others.js';
import { atTime } from './over-time/at-time.js';
import { compare } from './compare.js';
import { measure } from './measured/measure.js';
import type { Intent } from './intent.js';
import { shape, USES_IT } from './details/about-topology.js';
import { topicIn } from './details/topics.js';
import { INTENTS_OF_DETAILS } from './details/intents-of-details.js';
import { INTENTS_OF_TIME } from './over-time/intents-of-time.js';
import { INTENTS_OF_RUNS } from './intents-of-runs.js';
import type { AnswerInput } from './answer-input.js';
import { unknownWords } from './question.js';
import { namesOf, understands, unknownName, unknownPhrase, unknownWord } from './understands.js';
import { WORDS } from './vocabulary.js';
import { CHANGE, nextSteps, stepsToDo } from './what-to-do/next-steps.js';

const POLITE =
  "(?:(?:please|now|so|ok|okay|and|then|can you|could you|would you|will you|let'?s|i want you to|i'd like you to|you should)[\\s,]+)*";
const AGAIN = /\b(?:again|once more|one more time|anew)\b/;
const FIX = '(?:fix|solve|repair|resolve|mend|recover|restart|roll(?: it)? back)';

const HOW_TO = '\\bhow (?:to|(?:do|can|should|could|would) (?:i|we|you))\\b';
const DO_IT = new RegExp(`${HOW_TO} ${CHANGE} (?:it|this|that|them)\\b`);

/**
 * Matches questions about many diagnoses or systems, and about the meaning of a word: no findings
 * of one diagnosis answer them.
 */
const NO_FINDINGS =
  /\b(?:which|what|all|list)\b.*\b(?:runs|diagnoses|executions|topologies|systems)\b|\bwhat(?:'s| is| are| does| do)\s+an?\b/;

/** Whether a question names a topology, a node or a run. */
const hasName = (asked: AnswerInput): boolean =>
  asked.question.topologyIds.length > 0 ||
  asked.question.runIds.length > 0 ||
  (unknownWords(asked.question.rest).length > 0 && namesOf(asked).size > 0);

/** The first intent that matches and understands a question wins. */
const INTENTS: readonly Intent[] = [
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
    pattern: new RegExp(
      `^\\W*${POLITE}(?:(?:re-?)?diagnose|investigate|troubleshoot|(?:start|trigger|launch|kick off|begin|run|do|make) (?:(?:a|an|the|another|new|fresh) )*(?:diagnosis|investigation|run)\\b|(?:re-?)?(?:run|check|measure|test|try)(?: (?:it|that|this|them|everything))?(?: all)? (?:again|once more|anew)\\b|(?:retry|re-?run|re-?check)\\b)|\\bplease (?:re-?)?(?:diagnose|investigate|troubleshoot)(?: it)?(?: again)?\\W*$`,
    ),
    example: 'diagnose topology N',
    isFree: true,
    hasTime: true,
    answer: answer.diagnose,
  },
  {
    words: WORDS.diagnose,
    pattern: /\b(?:again|once more|one more time|anew|check|probe|measure|test)\b/,
    fits: ({ question, brief }) =>
      asksForDiagnosis(question.asks) && (brief.topology === null || AGAIN.test(question.asks)),
    isFree: true,
    answer: answer.diagnose,
  },
  {
    // The person accepts an offer of the last answer.
    words: WORDS.accept,
    pattern:
      /^\W*(?:(?:y|yes|yep|yup|yeah|sure|please|go ahead|proceed|do (?:it|that|so|this))\b[\s,.!]*)+$/,
    fits: ({ offered }) => offered,
    answer: answer.diagnose,
  },
  {
    words: WORDS.compare,
    pattern:
      /\bcompar\w+\b|\bdiff(?:er\w*)?\b|\b(?:what|anything|something) (?:has |have )?changed\b|\bwhat changes\b|\bin common\b|\bsimilar\b|\b(?:what(?:'s| is)|anything|something) new\b|\b(?:get|gets|getting|got|become|becoming|any) (?:any )?(?:worse|better)\b|\b(?:worse|better) than\b|\bwhich\b.*\b(?:worse|better)\b|\bsame (?:reason|cause|problem)\b|\bshare[ds]?\b|\b(?:previous|earlier) (?:run|diagnosis|execution|one)\b|\b(?:run|diagnosis|execution|one) before\b|\b(?:worsen|improv)\w+\b|\btrends?\b/,
    example: 'compare the last two runs',
    hasTime: true,
    isOfSeveral: true,
    answer: compare,
  },
  {
    words: WORDS.nextSteps,
    pattern: new RegExp(
      `\\bhow (?:do|can|should|could|would|is|to)\\b.*\\b${FIX}(?:e?d)?\\b|\\bhelp (?:me|us)(?: to)? ${FIX}\\b|\\bnext steps?\\b|\\bcommands?\\b|\\b(?:runbook|playbook)s?\\b|\\bwhere (?:do|should|can|could) (?:i|we) (?:start|begin|look)\\b|\\bwhat (?:should|can|do|must|could|shall|would) (?:i|we|you) (?:do|try|check|look|recommend|suggest|restart|change|fix|use)\\b|\\bwhich\\b.*\\b(?:should|must|shall|do) (?:i|we) (?:${FIX}|do|check|start|begin|look|restart|change)\\b|\\bfirst (?:thing|step)\\b|^\\W*(?:and |so )*(?:which|what)(?: ones?| of them)?(?: (?:is|are|goes|comes))? first\\W*$|\\bprioriti[sz]e\\b|\\bwhat(?:'s| is| comes)? next\\b|^\\W*(?:and )?(?:now what|what now)\\W*$|\\b(?:recommend\\w*|suggest\\w*|advice|advise|remedy|workaround|mitigat\\w+|solution)\\b`,
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
    pattern:
      /\brepair(?:s|ed)\b|\b(?:did|has|have) (?:any|some)(?:one|body)\b.*\bfix(?:ed)?\b|\bapprov(?:e|ed|als?)\b|\bwhat (?:has |have )?(?:fixed|solved|resolved)\b/,
    example: 'what waits for an approval?',
    answer: answer.repairs,
  },
  {
    words: WORDS.none,
    pattern: COMMAND,
    isAny: true,
    answer: refuseCommand,
  },
  {
    words: WORDS.none,
    pattern:
      /^\W*(?:no\W+)?(?:but )?(?:that|this|it|you)(?:'s| is|'re| are)\s+(?:wrong|incorrect|mistaken|false|nonsense|not (?:right|true|correct|it|the (?:cause|root cause|problem)))\b|^\W*(?:i do not|i don'?t) (?:believe|think so|agree)\b/,
    isAny: true,
    answer: disputed,
  },
  {
    words: WORDS.certainty,
    pattern:
      /\bhow (?:sure|certain|confident|reliable|likely|probable)\b|\b(?:are|r) you\b.*\b(?:sure|certain|confident)\b|\b(?:confidence|certainty|probability)\b|^\W*(?:really|sure|certain)\W*$|\b(?:trust|rely on|believe)\b/,
    example: 'how sure are you?',
    isOfEach: true,
    answer: others.certainty,
  },
  ...INTENTS_OF_DETAILS,
  {
    words: WORDS.sent,
    pattern:
      /^\W*(?:did|has|have|was|were|who)\b(?=.*\b(?:paged?|notif(?:y|ied)|alert(?:ed)?|inform(?:ed)?|told|tell|e-?mailed|e-?mail|wake|woken?)\b)(?=.*\b(?:anyone|anybody|someone|somebody|people|us|me|who)\b)/,
    answer: others.sent,
  },
  {
    words: WORDS.suspects,
    pattern:
      /\b(?:rul(?:e|ed|ing) out|exclude[ds]?)\b|\b(?:could|might|can|may) (?:it|that|this)(?: also)? be\b|\balternatives?\b|\bsuspect(?:s|ed)?\b|^\W*(?:is|are|was|were)\b.*\b(?:because of|due to|caused by|(?:the|a) (?:root )?(?:cause|culprit|problem)|to blame|at fault)\b|\bcandidates?\b|\b(?:other|another|else|possible)\b.*\b(?:causes?|explanations?|reasons?)\b|\bwhat else (?:could|might|can|may)\b/,
    example: 'what did you rule out?',
    isOfEach: true,
    answer: others.suspects,
  },
  {
    words: WORDS.others,
    pattern:
      /\b(?:what|anything|something|nothing|everything|where|who) else\b|\belse\W*$|^\W*(?:(?:and|but|or|what about|how about|what of|how are|what is with|show|list)\W+)*(?:me )?(?:all )?(?:the )?(?:others?|rest|remaining ones|other (?:ones|nodes|services|systems|topologies|findings|problems|issues))\W*$|\bapart from (?:that|this|it)\b/,
    example: 'what else?',
    answer: others.others,
  },
  {
    words: WORDS.impact,
    pattern:
      /\bblast radius\b|^\W*(?:i|we) (?:will|am going to|are going to|want to) (?:just |now |also )*(?:restart|reboot|reload|stop|kill|drain|redeploy|roll ?back|revert|fail ?over)\b|\bsafe to\b|\b(?:can|may|could|should) (?:i|we) (?:ignore|skip|wait)\b|\bwho else\b|\bhow (?:bad|severe|serious|critical)\b|\bimpact(?:s|ed)?\b|\b(?:what|which|who|whom|customers?|users?|people|anyone|anybody)\b.*\b(?:affected|suffer\w*|hit|hurt|do(?:es)?\b.*\baffect)\b|\bwhat\b.*\b(?:breaks?|fails?|happens?|dies|goes down)\b.*\b(?:if|when)\b/,
    example: 'what is the impact?',
    answer: others.impact,
  },
  {
    words: WORDS.atTime,
    pattern:
      /\b(?:happen\w*|going on|on fire|healthy|fine|ok|okay|wrong|break|broke|broken|down|slow|fail\w*|was|were|find|found|findings?|results?|reports?|status|problems?|issues?|errors?|incidents?|outages?|trouble|root causes?|ran|runs?|diagnos[ei]s|executions?)\b/,
    example: 'what happened at 12:30?',
    fits: ({ question }) => question.time !== undefined || question.noTime !== undefined,
    hasTime: true,
    answer: atTime,
  },
  ...INTENTS_OF_RUNS,
  ...INTENTS_OF_TIME,
  {
    words: WORDS.states,
    pattern:
      /\b(?:which|what|list|show|how many)\b.*\b(?:nodes?|ones|of them)\b.*\b(?:healthy|unhealthy|ok|okay|fine|well|good|up|working|broken|down|failing|failed|ill|sick|degraded|dead|wrong)\b/,
    example: 'which nodes are healthy?',
    answer: answer.states,
  },
  {
    words: WORDS.checked,
    pattern:
      /\b(?:what|which|did|have|has|was|were)\b.*\b(?:check(?:ed)?|look(?:ed)? at|covered?|tested|measured?|probed?)\b.*|\b(?:unchecked|skipped)\b|\bnot checked\b|\bwhat(?:'s| is) missing\b|\bwhy\b.*\bnot\b.*\b(?:checked|measured|tested|probed)\b/,
    example: 'what was checked?',
    isOfEach: true,
    answer: answer.checked,
  },
  {
    words: WORDS.shape,
    pattern:
      /\b(?:what|which|describe|show)(?: is| me)?\s+topology\s+#?\d+\W*$|\bdepend(?:s|ed|ing|ency|encies|ents?)?\b|\b(?:up|down)stream\b|\b(?:show|describe)(?: me| us)?(?: the| our)? topology\b|\b(?:what|who|which \w+) (?:uses?|needs?|calls?|requires?|relies on|talks? to|connects? to)\b|\bwhat (?:does|do|did)\b(?! (?:i|we|you)\b).*\b(?:use|need|call|require|rely on|talk to|connect to)\b|\b(?:which|what|how many) (?:nodes|services)\b|\bnodes of\b|\b(?:draw|diagram|architecture)\b|^\W*(?:what|who)(?:'s| is| are) (?!an? )\S+(?: \S+){0,4}\W*$/,
    example: 'what depends on payments?',
    fits: (asked) =>
      asked.question.runIds.length === 0 &&
      !/\bcauses?\b/.test(asked.question.asks) &&
      (!/^\W*(?:what|who)(?:'s| is| are)\b|\b(?:uses?|needs?|calls?|requires?|rel(?:y|ies)|talks?|connects?)\b/.test(
        asked.question.asks,
      ) ||
        USES_IT.test(asked.question.asks) ||
        hasName(asked)),
    answer: shape,
  },
  {
    words: WORDS.topologies,
    pattern:
      /\b(?:list|show|which|what|all|have|know|how many)\b.*\b(?:topologies|systems)\b|^\W*topologies\W*$/,
    example: 'list the topologies',
    isNameless: true,
    answer: answer.topologies,
  },
  {
    words: WORDS.log,
    pattern:
      /\blog(?:s|file)?\b|\bevents?\b|\bevidence\b|\bwhich measurements?\b|\bproof\b|\bprove\b|\braw\b/,
    example: 'show me the log lines',
    answer: (asked) => evidence(asked, false),
  },
  {
    words: WORDS.why,
    pattern: /\bwhy\b|\bhow (?:do|did|can) you know\b|\bhow come\b|\breasons?\b|\bwhat makes you\b/,
    example: 'why?',
    isOfEach: true,
    answer: (asked) => evidence(asked, true),
  },
  {
    words: WORDS.everywhere,
    pattern:
      /\b(?:is|are|what'?s)\b.*\b(?:broken|down|failing|unhealthy|wrong|affected|degraded|red|sick|slow)\b.*\b(?:now|currently|at the moment|everywhere|overall)\b|^\W*(?:what(?:'s| is| are| has| have)?|which (?:systems|topologies|services)(?: are| have)?|(?:is )?any(?:thing)?)\s+(?:still |else )?(?:broken|down|failing|failed|unhealthy|not (?:healthy|ok|okay|fine|well|up|working)|degraded|red|sick|slow|unstable|flaky|on fire|burning)\W*$|^\W*(?:is|are) (?:we|everything|all(?: the)?(?: systems| topologies| services)?) (?:ok|okay|up|fine|good|green|normal|stable|alright|healthy|well|working)\W*$|^\W*all (?:ok|okay|fine|good|green|well|clear)\W*$|\bsituation\b|^\W*(?:how(?:'s| is| are) (?:it going|things|everything)|what(?:'?s| is) up)\W*$|\b(?:summary|overview|status|verdicts?|state|health)\b.*\b(?:all|every|each)\b|\b(?:worst|most (?:urgent|critical))\b|\boverview\b|\b(?:which|what|list|show|how many)\b(?!.*\bnodes?\b).*\b(?:healthy|unhealthy|fine|well|ok|okay|good|green|up|working|broken|down|failing|red|degraded)\b/,
    example: 'what is broken right now?',
    fits: ({ brief }) => brief.topology === null,
    isNameless: true,
    answer: others.everywhere,
  },
  {
    words: WORDS.measure,
    pattern:
      /^\W*(?:is|are|which of)\b.*\b(?:ok|okay|good|up|down|alive|reachable|healthy|unhealthy|broken|well|slow|fine|working|responding|degraded|fixed|resolved|solved|recovered|back|better|over|failing|running|stable|unstable|flaky|available|unavailable|unresponsive|overloaded|offline|dead|stuck|hanging|crashing|restarting|flapping)\b|^\W*(?:has|have)\b.*\b(?:recovered|come back)\b|^\W*did (?:it|that|(?:the|my|our) (?:fix|restart|rollback|deploy|change)) (?:work|help)|^\W*did\b.*\brecover\b|^\W*(?:does|do)\b.*\bworks?\b|^\W*still\b|^\W*(?:please |can you )*(?:check|probe|ping|measure|test)\b|\bhow (?:(?:healthy|well) )?(?:is|are)\b|\b(?:status|state|health|condition)\b|\b(?:broken|down|failing)\b.*\bnow\b|^\W*(?:what(?:'s| is| are)|(?:(?:is|are) (?:there )?)?any(?:thing)?)\s+(?:still |else )?(?:broken|down|failing|wrong|unhealthy|degraded|problems?|issues?|errors?|warnings?)\W*$/,
    example: 'is payments ok?',
    needsSubject: true,
    isOfEach: true,
    answer: measure,
  },
  {
    words: WORDS.explain,
    pattern:
      /\b(?:wrong|happen\w*|find|findings?|found|caus(?:es?|ed|ing)|reports?|results?|summary|problems?|issues?|trouble|fail\w*|errors?|broken?|down|incidents?|outages?|slow|matter|affected|going on|blame|explain|details?|more|diagnosis|verdicts?|say|says|tell|know|degraded|unhealthy|failing|summari[sz]e|tl;?dr|conclusions?|conclude[ds]?|affects?|about|rca|up with|situation|culprits?|symptoms?|alerts?|alarms?|warnings?|returns?|answers?|responds?|come(?:s|ing)? from|measurements?)\b|^\W*(?:and |so )*what(?:'s| is| was) (?:it|this|that)\W*$|^\W*did (?:it|that|(?:the|my|our) (?:fix|restart|rollback|deploy|change)) (?:work|help)|\b(?:last|latest|newest) (?:run|execution)\b|[0-9a-f]{8}-[0-9a-f]{4}-/,
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
    pattern:
      /^\W*(?:(?:our|my|the|some|many|all|several|more)\s+)*(?:customers?|users?|clients?|people|visitors|everyone|everybody)\b.*\b(?:can(?:'t|not| not)|could(?:n't| not)|unable to|no longer|complain\w*)(?!\w)/,
    isAny: true,
    answer: answer.complaint,
  },
];

/** Returns the intent of a question; undefined if the question is not understood. */
export const intentOf = (asked: AnswerInput): Intent | undefined =>
  INTENTS.find((each) => isAbout(asked, each) && understands(asked, each));

/**
 * Returns the name in a question that would be understood if a topology or a node had that name.
 */
export const unknownIn = (asked: AnswerInput): string | undefined =>
  unknownName(asked, fittingTo(asked));

/** Returns the only word of a question that is not understood. */
export const unknownWordIn = (asked: AnswerInput): string | undefined =>
  unknownWord(asked, fittingTo(asked));

/** Returns the only words of a question that are not understood, if they stand together. */
export const unknownPhraseIn = (asked: AnswerInput): string | undefined =>
  unknownPhrase(asked, fittingTo(asked));

const fittingTo = (asked: AnswerInput): Intent[] => INTENTS.filter((each) => isAbout(asked, each));

/** Whether a question matches an intent; it may have words that the intent does not understand. */
function isAbout(asked: AnswerInput, { pattern, fits, hasTime = false }: Intent): boolean {
  const { asks, time, noTime } = asked.question;
  const isTimed = time !== undefined || noTime !== undefined;
  return pattern.test(asks) && (hasTime || !isTimed) && (fits?.(asked) ?? true);
}

/** Returns an example of each kind of question, the most usual ones first. */
export const examples = (): string[] =>
  INTENTS.toReversed().flatMap(({ example }) => (example === undefined ? [] : [example]));
