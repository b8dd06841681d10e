import { escapeMarkdown } from '../../../lib/markdown.js';
import { list, type ToolAnswer, type Plan } from '../plan.js';
import { answerEach } from './answers/each.js';
import { allAtOnce, Facts, NoAnswerError, LookUp } from './facts.js';
import { hasSubject } from './subject/follow-up.js';
import { helpText, notKnown } from './help.js';
import { notUnderstoodText } from './replies/examples.js';
import { intentOf, unknownIn, unknownPhraseIn, unknownWordIn } from './intents/intent-of.js';
import type { Intent } from './intents/intent.js';
import type { MarkdownText } from './replies/markdown-text.js';
import { failureText, refusalOf, START } from './replies/refusals.js';
import { unknownWords, type Remark } from './reading/question.js';
import { questionsIn } from './reading/questions.js';
import { leftOutText, misplacedText, namedBy, otherTopologyOffer } from './subject/named.js';
import { withPending } from './subject/pending.js';
import { withWholeIds } from './reading/short-run-ids.js';
import { smallTalk } from './reading/small-talk.js';
import { findTopology } from './subject/subject.js';
import { corrections, correctionText, type Correction } from './reading/spelling.js';
import { followUp, inputFor, read, type OracleTurn } from './reading/read-message.js';
import type { AnswerInput, OracleBrief } from './answer-input.js';

/** A line break before a line that is no item of a list. */
const PARAGRAPH = /\n+(?!- |\d+\. |\n)/g;

/**
 * Plans a turn of the oracle by rules. The first intent that matches the question looks up missing
 * facts, call by call, and then answers. If no intent matches, the answer lists the questions that
 * can be answered.
 * @param said earlier texts of the conversation, oldest first
 */
export function planOracle(
  given: OracleBrief,
  said: readonly Remark[],
  answers: readonly ToolAnswer[],
  tools: ReadonlySet<string>,
): Plan {
  const whole = withPending([...said, { by: 'person', text: given.userMessage }]);
  const remarks = whole.slice(0, -1);
  const brief = { ...given, userMessage: whole.at(-1)?.text ?? given.userMessage };
  const isStarted = answers.some(({ failed: isFailed, tool }) => tool === START && !isFailed);
  const failed = answers.find(
    ({ failed: isFailed, tool }) =>
      isFailed &&
      tool !== 'read_log' &&
      !isMeasuring(brief, tool) &&
      // The answer says which of several diagnoses were not started.
      !(tool === START && isStarted),
  );
  if (failed) return say(failureText(failed));
  const plan = answer({ brief, answers, tools }, remarks);
  const missing = plan.calls.find(({ tool }) => !tools.has(tool));
  if (missing) return say(refusalOf(missing.tool, brief));
  const names = [...new Set(plan.calls.map(({ tool }) => tool))];
  return brief.thinking && names.length > 0
    ? { ...plan, reasoning: `I need ${list(names)}.` }
    : plan;
}

/**
 * Formats an answer. Its lines are paragraphs and items of lists also where it is read as Markdown.
 */
const say = (answer: string | MarkdownText): Plan => ({
  reasoning: '',
  text: (typeof answer === 'string' ? answer : answer.markdown).replaceAll(PARAGRAPH, '\n\n'),
  calls: [],
  ...(typeof answer !== 'string' && { isMarkdown: true }),
});

const isMeasuring = ({ topology }: OracleBrief, tool: string): boolean =>
  topology?.nodes.some(({ firstLook }) => firstLook.some((look) => look.tool === tool)) === true;

function answer(given: OracleTurn, remarks: readonly Remark[]): Plan {
  try {
    const userMessage = withWholeIds(given.brief.userMessage, new Facts(given.answers));
    const turn = { ...given, brief: { ...given.brief, userMessage } };
    const talk = smallTalk(userMessage.toLowerCase(), helpText());
    if (talk !== undefined) return say(talk);
    const questions = questionsIn(userMessage);
    const isRead = (each: string) => intentOf(inputFor(turn, each, remarks)) !== undefined;
    const isEachRead =
      questions.length > 1 &&
      allAtOnce(questions.map((each) => () => isRead(each))).every((each) => each);
    return say(
      isEachRead
        ? answerInTurn(turn, questions, remarks)
        : answerOf(inputFor(turn, userMessage, remarks), remarks),
    );
  } catch (error) {
    if (error instanceof LookUp) return { reasoning: '', text: '', calls: error.calls };
    if (error instanceof NoAnswerError) return say(error.message);
    throw error;
  }
}

/**
 * Answers several questions of a message. One without a subject of its own is about that of the
 * question before it.
 */
function answerInTurn(
  turn: OracleTurn,
  questions: readonly string[],
  before: readonly Remark[],
): string | MarkdownText {
  let remarks = before;
  const texts = questions.map((text) => {
    const own = inputFor(turn, text, before);
    const said = hasSubject(own.question)
      ? answerOrReason(own, before)
      : answerOrReason(inputFor(turn, text, remarks), remarks);
    remarks = [...remarks, { by: 'person', text }, { by: 'oracle', text: plainOf(said) }];
    return said;
  });
  return texts.every((text) => typeof text === 'string')
    ? texts.join('\n')
    : {
        markdown: texts
          .map((text) => (typeof text === 'string' ? inMarkdown(text) : text.markdown))
          .join('\n\n'),
      };
}

function answerOrReason(asked: AnswerInput, remarks: readonly Remark[]): string | MarkdownText {
  try {
    return answerOf(asked, remarks);
  } catch (error) {
    if (error instanceof NoAnswerError) return error.message;
    throw error;
  }
}

const plainOf = (said: string | MarkdownText): string =>
  typeof said === 'string' ? said : said.markdown;

/** Answers a question as it was written, or else with its misspelt words corrected. */
function answerOf(asked: AnswerInput, remarks: readonly Remark[]): string | MarkdownText {
  const intent = intentOf(asked);
  if (intent) return withNotes([], intent, followUp(asked, remarks));
  const ways = waysToCorrect(asked);
  const areRead = allAtOnce(ways.map((each) => () => intentOf(read(asked, each)) !== undefined));
  const way = ways[areRead.indexOf(true)];
  if (!way) {
    const misplaced = misplacedText(asked);
    if (misplaced !== undefined) throw new NoAnswerError(misplaced);
    const unknown = unknownIn(asked);
    if (unknown !== undefined) return notKnown(asked, unknown);
    throw new NoAnswerError(notUnderstoodText(asked));
  }
  const meant = read(asked, way);
  const intentOfMeant = intentOf(meant) as Intent;
  return withNotes([correctionText(way)], intentOfMeant, followUp(meant, remarks));
}

/** Answers a question, after notes that say how it was read. */
function withNotes(notes: string[], intent: Intent, asked: AnswerInput): string | MarkdownText {
  const { isAny, isNameless, isOfSeveral } = intent;
  const isOfOne = ![isAny, isNameless, isOfSeveral].includes(true);
  const other = isOfOne ? otherTopologyOffer(asked) : undefined;
  const note = notes.map((line) => `${line}\n`).join('');
  if (other !== undefined) throw new NoAnswerError(`${note}${other}`);
  try {
    const said = answerEach(intent, asked);
    const leftOut = isOfOne ? leftOutOf(asked) : '';
    return typeof said === 'string'
      ? `${note}${said}${leftOut}`
      : {
          markdown: `${inMarkdown(note)}${said.markdown}${inMarkdown(leftOut)}`,
        };
  } catch (error) {
    if (error instanceof NoAnswerError) throw new NoAnswerError(`${note}${error.message}`);
    throw error;
  }
}

const inMarkdown = (lines: string): string => escapeMarkdown(lines).replaceAll('\n', '\n\n');

/**
 * A line about the nodes that a question names besides those of the topology that it was answered
 * for; else nothing.
 */
function leftOutOf(asked: AnswerInput): string {
  const { question } = asked;
  const hasIds = question.topologyIds.length + question.runIds.length > 0;
  if (hasIds || unknownWords(question.rest).length === 0 || namedBy(asked).length < 2) return '';
  try {
    const id = findTopology(asked);
    const text = id === undefined ? undefined : leftOutText(asked, id);
    return text === undefined ? '' : `\n${text}`;
  } catch (error) {
    // Several fit, and the question was answered for each.
    if (error instanceof NoAnswerError) return '';
    throw error;
  }
}

/** Returns the ways to correct the words of a question, a name, or both. */
function waysToCorrect(asked: AnswerInput): Correction[][] {
  const ofWords = corrections(asked);
  const ofNames = allAtOnce(
    [[], ...ofWords].map((way: Correction[]) => () => {
      const meant = way.length === 0 ? asked : read(asked, way);
      return correctedName(meant).map((name) => [...way, ...name]);
    }),
  );
  return [...ofWords, ...ofNames.flat()];
}

/** Takes an unknown name for the only one that is close to it. */
function correctedName(asked: AnswerInput): Correction[][] {
  for (const find of [unknownIn, unknownPhraseIn, unknownWordIn]) {
    const unknown = find(asked);
    const [similar, ...more] = unknown === undefined ? [] : asked.facts.similar(unknown);
    if (unknown !== undefined && similar !== undefined && more.length === 0)
      return [[[unknown, similar]]];
  }
  return [];
}
