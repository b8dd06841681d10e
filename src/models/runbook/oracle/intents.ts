import { nodesIn } from '../../../domain/topology/names-in-text.js';
import { Instead } from './facts.js';
import * as answer from './answers.js';
import { unknownWords } from './question.js';
import type { Asked } from './subject.js';

/** A kind of question: its pattern, an example, and the function that answers it. */
export interface Intent {
  pattern: RegExp;
  example?: string;
  /** A further condition for a question that matches the pattern. Absent: none. */
  fits?: (asked: Asked) => boolean;
  /** @throws LookUp if a fact is missing, Instead if there is no answer */
  answer: (asked: Asked) => string;
}

const POLITE =
  "(?:(?:please|now|so|ok|okay|and|then|can you|could you|would you|will you|let'?s|i want you to|i'd like you to|you should)[\\s,]+)*";
const FIX = '(?:fix|solve|repair|resolve|mend)';

/** The first intent that matches a question wins. */
const INTENTS: readonly Intent[] = [
  {
    pattern: /\b(?:open|go to|navigate to|take me to|bring up)\b/,
    example: 'open the runs page',
    fits: ({ question }) => answer.pageIn(question) !== undefined,
    answer: answer.openPage,
  },
  {
    pattern: new RegExp(
      `^\\W*${POLITE}(?:(?:re-?)?diagnose|investigate|troubleshoot|(?:start|trigger|launch|kick off|begin|run|do|make) (?:(?:a|an|the|another|new|fresh) )*(?:diagnosis|investigation|run)\\b)`,
    ),
    example: 'diagnose topology N',
    answer: answer.diagnose,
  },
  {
    pattern: /\bcompar\w+\b|\bdifferen\w+\b|\bwhat (?:has )?changed\b/,
    example: 'compare the last two runs',
    answer: answer.compare,
  },
  {
    pattern: new RegExp(
      `\\bhow (?:do|can|should|could|would) (?:i|we|you|one)\\b.*\\b${FIX}\\b|\\bhow to ${FIX}\\b|\\bnext steps?\\b|\\bwhat (?:should|can|do) (?:i|we) do\\b`,
    ),
    example: 'how do I fix it?',
    answer: answer.nextSteps,
  },
  {
    pattern: /\b(?:happen\w*|going on|wrong|was|were|find|found|status|run|diagnosis)\b/,
    example: 'what happened at 12:30?',
    fits: ({ question }) => question.moment !== undefined || question.noTime !== undefined,
    answer: answer.atMoment,
  },
  {
    pattern:
      /\bwhen\b.*\b(?:last|latest|newest)\b.*\b(?:diagnos\w+|run|check\w*)\b|\bwhen\b.*\blast (?:diagnosed|checked)\b/,
    answer: (asked) => answer.listRuns(asked, 1),
  },
  {
    pattern:
      /\b(?:was|were|has|did|had)\b.*\b(?:before|earlier|previously)\b|\bsince when\b|\bhow long (?:has|have|is|was)\b|\bwhen (?:did|has|was)\b.*\b(?:start\w*|beg[aiu]n|break|broke|fail\w*|happen\w*|first)\b|\bfirst (?:seen?|found|fail\w*)\b/,
    example: 'since when?',
    answer: answer.since,
  },
  {
    pattern: /\bhow long\b.*\b(?:take|took|last|run|need)\b|\bduration\b/,
    answer: answer.duration,
  },
  {
    pattern:
      /\b(?:what|which|did|have|has|was|were)\b.*\b(?:check(?:ed)?|look(?:ed)? at|covered?|tested|measured?|probed?)\b.*|\b(?:unchecked|skipped)\b|\bnot checked\b/,
    example: 'what was checked?',
    answer: answer.checked,
  },
  {
    pattern:
      /\b(?:what|which|describe|show)(?: is| me)?\s+topology\s+#?\d+\W*$|\bdepend(?:s|ed|ing|ency|encies|ents?)?\b|\b(?:up|down)stream\b|\b(?:which|what) (?:nodes|services|teams)\b|\bnodes of\b/,
    example: 'what depends on payments?',
    answer: answer.shape,
  },
  {
    pattern:
      /\b(?:list|show|which|what|all|recent|past|previous|last \d+)\b.*\b(?:runs|diagnoses|executions)\b|\bhistory\b|^\W*(?:runs|diagnoses)\W*$/,
    example: 'list the runs',
    answer: (asked) => answer.listRuns(asked, 10),
  },
  {
    pattern:
      /\b(?:list|show|which|what|all|have|know)\b.*\b(?:topologies|systems)\b|^\W*topologies\W*$/,
    example: 'list the topologies',
    fits: ({ question }) => !/\b(?:wrong|broken|down|failing|unhealthy)\b/.test(question.text),
    answer: answer.topologies,
  },
  {
    pattern: /\blog(?:s|file)?\b|\bevents?\b|\bevidence\b|\bproof\b|\bprove\b|\braw\b/,
    example: 'show me the log lines',
    answer: (asked) => answer.evidence(asked, false),
  },
  {
    pattern: /\bwhy\b|\bhow (?:do|did|can) you know\b|\bhow come\b|\breasons?\b/,
    example: 'why?',
    answer: (asked) => answer.evidence(asked, true),
  },
  {
    pattern:
      /\b(?:is|are|what'?s)\b.*\b(?:broken|down|failing|unhealthy|wrong|affected)\b.*\b(?:now|currently|at the moment|everywhere|overall)\b|^\W*(?:what(?:'s| is| are)?|which (?:systems|topologies|services) are|(?:is )?any(?:thing)?)\s+(?:broken|down|failing|unhealthy)\W*$/,
    example: 'what is broken right now?',
    fits: (asked) =>
      asked.brief.topology === null && unknownWords(asked.question.text).length === 0,
    answer: answer.everywhere,
  },
  {
    pattern:
      /^\W*(?:is|are)\b.*\b(?:ok|okay|up|down|alive|reachable|healthy|broken|well|slow|fine|working|responding)\b|^\W*(?:please |can you )*(?:check|probe|ping|measure|test)\b|\bhow (?:is|are)\b|\bstatus\b|\b(?:broken|down|failing)\b.*\bnow\b/,
    example: 'is payments ok?',
    answer: answer.measure,
  },
  {
    pattern:
      /\b(?:wrong|happen\w*|find|findings?|found|causes?|reports?|results?|summary|problems?|issues?|trouble|fail\w*|errors?|broken?|incident|outage|slow|matter|going on|blame|explain|details?|more|diagnosis|say|says|tell)\b|[0-9a-f]{8}-[0-9a-f]{4}-/,
    example: 'what is wrong with checkout?',
    answer: answer.explain,
  },
];

/** Matches questions that use words of diagnoses, but ask for something that no diagnosis contains. */
const BEYOND =
  /\bwho\b|\bhow (?:many|much)\b|\bcosts?\b|\bwhen will\b|\bpredict|\bforecast|\b(?:deploy|rollback|roll back|restart|delete|scale|weather)\w*/;
/** A question with more unknown words than this is not understood. */
const MOST_UNKNOWN = 2;

/** Returns the intent of a question; undefined if the question is not understood. */
export function intentOf(asked: Asked): Intent | undefined {
  const { text } = asked.question;
  const intent = INTENTS.find(({ pattern, fits }) => pattern.test(text) && (fits?.(asked) ?? true));
  const isBroad = intent?.answer === answer.explain || intent?.answer === answer.measure;
  if (intent && !(isBroad && BEYOND.test(text))) return intent;
  return intent === undefined && isName(asked)
    ? { pattern: /^/, answer: answer.explain }
    : undefined;
}

/** Whether a question consists only of a name, such as "and the catalog?" after another question. */
function isName(asked: Asked): boolean {
  const { question, brief, before, facts } = asked;
  const words = unknownWords(question.text);
  if (words.length === 0 || words.length > MOST_UNKNOWN || BEYOND.test(question.text)) return false;
  const shapes =
    before.runId === undefined && brief.topology
      ? [brief.topology]
      : facts.shapes(facts.naming(question.text).map(({ id }) => id));
  const named = shapes.flatMap((shape) => [
    shape.name,
    ...nodesIn(question.text, shape).flatMap(({ id, name }) => [id, name]),
  ]);
  const known = new Set(
    named.flatMap((name) => name.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []),
  );
  return words.every((word) => known.has(word));
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
