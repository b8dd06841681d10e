import { Instead } from './facts.js';
import * as answer from './answers.js';
import { evidence } from './evidence.js';
import { atTime } from './at-time.js';
import type { Asked } from './subject.js';
import type { MarkdownText } from './reply-compare.js';
import { topologiesText } from './reply-lists.js';
import { understands, unknownName, type Reach } from './understands.js';
import { WORDS } from './vocabulary.js';

/** A kind of question: its pattern, its vocabulary, an example, and the function that answers it. */
export interface Intent extends Reach {
  pattern: RegExp;
  example?: string;
  /** A further condition for a question that matches the pattern. Absent: none. */
  fits?: (asked: Asked) => boolean;
  /** @throws LookUp if a fact is missing, Instead if there is no answer */
  answer: (asked: Asked) => string | MarkdownText;
}

const POLITE =
  "(?:(?:please|now|so|ok|okay|and|then|can you|could you|would you|will you|let'?s|i want you to|i'd like you to|you should)[\\s,]+)*";
const FIX = '(?:fix|solve|repair|resolve|mend)';

/** Matches questions about many diagnoses or systems, and about the meaning of a word: no findings of one diagnosis answer them. */
const NO_FINDINGS =
  /\b(?:which|what|all|list)\b.*\b(?:runs|diagnoses|executions|topologies|systems)\b|\bwhat(?:'s| is| are| does| do)\s+an?\b/;

/** The first intent that matches and understands a question wins. */
const INTENTS: readonly Intent[] = [
  {
    words: WORDS.open,
    pattern: /\b(?:open|go to|navigate to|take me to|bring up)\b/,
    example: 'open the runs page',
    fits: ({ question }) => answer.pageIn(question) !== undefined,
    answer: answer.openPage,
  },
  {
    words: WORDS.diagnose,
    pattern: new RegExp(
      `^\\W*${POLITE}(?:(?:re-?)?diagnose|investigate|troubleshoot|(?:start|trigger|launch|kick off|begin|run|do|make) (?:(?:a|an|the|another|new|fresh) )*(?:diagnosis|investigation|run)\\b)`,
    ),
    example: 'diagnose topology N',
    isFree: true,
    hasTime: true,
    answer: answer.diagnose,
  },
  {
    words: WORDS.compare,
    pattern: /\bcompar\w+\b|\bdifferen\w+\b|\bwhat (?:has )?changed\b/,
    example: 'compare the last two runs',
    answer: answer.compare,
  },
  {
    words: WORDS.nextSteps,
    pattern: new RegExp(
      `\\bhow (?:do|can|should|could|would) (?:i|we|you|one)\\b.*\\b${FIX}\\b|\\bhow to ${FIX}\\b|\\bnext steps?\\b|\\bwhat (?:should|can|do) (?:i|we) do\\b`,
    ),
    example: 'how do I fix it?',
    answer: answer.nextSteps,
  },
  {
    words: WORDS.repairs,
    pattern: /\brepair(?:s|ed)\b|\bapprov(?:e|ed|als?)\b/,
    example: 'what waits for an approval?',
    answer: answer.repairs,
  },
  {
    words: WORDS.atTime,
    pattern:
      /\b(?:happen\w*|going on|wrong|broken?|down|slow|fail\w*|was|were|find|found|findings?|results?|reports?|status|problems?|issues?|errors?|incidents?|outages?|trouble|root causes?|runs?|diagnos[ei]s|executions?)\b/,
    example: 'what happened at 12:30?',
    fits: ({ question }) => question.time !== undefined || question.noTime !== undefined,
    hasTime: true,
    answer: atTime,
  },
  {
    words: WORDS.lastRun,
    pattern:
      /\bwhen\b.*\b(?:last|latest|newest)\b.*\b(?:diagnos\w+|run|check\w*)\b|\bwhen\b.*\blast (?:diagnosed|checked)\b/,
    answer: (asked) => answer.listRuns(asked, 1),
  },
  {
    words: WORDS.duration,
    pattern:
      /\bhow long\b.*\b(?:take|took|last|run|need)\b|\bduration\b|\bwhen\b.*\b(?:run|diagnosis|execution)\b.*\b(?:start\w*|beg[aiu]n|end\w*|finish\w*)\b/,
    answer: answer.duration,
  },
  {
    words: WORDS.since,
    pattern:
      /\b(?:was|were|has|did|had)\b.*\b(?:before|earlier|previously)\b|\bsince when\b|\bhow long (?:has|have|is|was)\b|\bwhen (?:did|has|was)\b.*\b(?:start\w*|beg[aiu]n|break|broke|fail\w*|happen\w*|first)\b|\bfirst (?:seen?|found|fail\w*)\b/,
    example: 'since when?',
    answer: answer.since,
  },
  {
    words: WORDS.checked,
    pattern:
      /\b(?:what|which|did|have|has|was|were)\b.*\b(?:check(?:ed)?|look(?:ed)? at|covered?|tested|measured?|probed?)\b.*|\b(?:unchecked|skipped)\b|\bnot checked\b/,
    example: 'what was checked?',
    answer: answer.checked,
  },
  {
    words: WORDS.shape,
    pattern:
      /\b(?:what|which|describe|show)(?: is| me)?\s+topology\s+#?\d+\W*$|\bdepend(?:s|ed|ing|ency|encies|ents?)?\b|\b(?:up|down)stream\b|\b(?:which|what) (?:nodes|services)\b|\bnodes of\b/,
    example: 'what depends on payments?',
    answer: answer.shape,
  },
  {
    words: WORDS.runs,
    pattern:
      /\b(?:list|show|which|what|all|recent|past|previous|last \d+)\b.*\b(?:runs|diagnoses|executions)\b|\bhistory\b|^\W*(?:runs|diagnoses)\W*$/,
    example: 'list the runs',
    answer: (asked) => answer.listRuns(asked, 10),
  },
  {
    words: WORDS.topologies,
    pattern:
      /\b(?:list|show|which|what|all|have|know)\b.*\b(?:topologies|systems)\b|^\W*topologies\W*$/,
    example: 'list the topologies',
    answer: answer.topologies,
  },
  {
    words: WORDS.log,
    pattern: /\blog(?:s|file)?\b|\bevents?\b|\bevidence\b|\bproof\b|\bprove\b|\braw\b/,
    example: 'show me the log lines',
    answer: (asked) => evidence(asked, false),
  },
  {
    words: WORDS.why,
    pattern: /\bwhy\b|\bhow (?:do|did|can) you know\b|\bhow come\b|\breasons?\b/,
    example: 'why?',
    answer: (asked) => evidence(asked, true),
  },
  {
    words: WORDS.everywhere,
    pattern:
      /\b(?:is|are|what'?s)\b.*\b(?:broken|down|failing|unhealthy|wrong|affected)\b.*\b(?:now|currently|at the moment|everywhere|overall)\b|^\W*(?:what(?:'s| is| are| has| have)?|which (?:systems|topologies|services)(?: are| have)?|(?:is )?any(?:thing)?)\s+(?:broken|down|failing|failed|unhealthy)\W*$|^\W*(?:is|are) (?:everything|all(?: the)?(?: systems| topologies| services)?) (?:ok|okay|up|fine|healthy|well|working)\W*$/,
    example: 'what is broken right now?',
    fits: ({ brief }) => brief.topology === null,
    isNameless: true,
    answer: answer.everywhere,
  },
  {
    words: WORDS.measure,
    pattern:
      /^\W*(?:is|are)\b.*\b(?:ok|okay|up|down|alive|reachable|healthy|broken|well|slow|fine|working|responding)\b|^\W*(?:please |can you )*(?:check|probe|ping|measure|test)\b|\bhow (?:is|are)\b|\bstatus\b|\b(?:broken|down|failing)\b.*\bnow\b/,
    example: 'is payments ok?',
    needsSubject: true,
    answer: answer.measure,
  },
  {
    words: WORDS.explain,
    pattern:
      /\b(?:wrong|happen\w*|find|findings?|found|causes?|reports?|results?|summary|problems?|issues?|trouble|fail\w*|errors?|broken?|down|incidents?|outages?|slow|matter|affected|going on|blame|explain|details?|more|diagnosis|verdicts?|say|says|tell)\b|[0-9a-f]{8}-[0-9a-f]{4}-/,
    example: 'what is wrong with checkout?',
    fits: ({ question: { text } }) => !NO_FINDINGS.test(text),
    answer: answer.explain,
  },
  {
    // A name after another question, such as "and the catalog?".
    pattern: /^(?!.*\b(?:what|how|which)\b(?! about\b))/s,
    words: WORDS.name,
    needsSubject: true,
    answer: answer.explain,
  },
];

/** Returns the intent of a question; undefined if the question is not understood. @throws Instead if its subject is unknown */
export function intentOf(asked: Asked): Intent | undefined {
  const { text, time, noTime } = asked.question;
  const isTimed = time !== undefined || noTime !== undefined;
  const fitting = INTENTS.filter(
    ({ pattern, fits, hasTime = false }) =>
      pattern.test(text) && (hasTime || !isTimed) && (fits?.(asked) ?? true),
  );
  const intent = fitting.find((each) => understands(asked, each));
  const unknown = intent ? undefined : unknownName(asked, fitting);
  if (unknown === undefined) return intent;
  throw new Instead(
    `I know no node called "${unknown}", and no topology. ${topologiesText(asked.facts.topologies())}`,
  );
}

/** Lists the kinds of questions that can be answered, with an example of each. */
export const helpText = (): string =>
  `I answer questions about topologies and their diagnoses, and start new ones. Ask for example: ${INTENTS.toReversed()
    .flatMap(({ example }) => (example === undefined ? [] : [`"${example}"`]))
    .join(
      ', ',
    )}. I read English only, and only questions like these; with a language model (MODEL) I understand others.`;

/** @throws Instead with the list of the questions that can be answered */
export function notUnderstood(): never {
  throw new Instead(`I do not understand that. ${helpText()}`);
}
