import { escapeMarkdown } from '../../../lib/markdown.js';
import { list, type ToolAnswer, type Plan } from '../plan.js';
import { errorOf } from './measured/measured-node.js';
import { answerEach } from './each.js';
import { discussedLast, hasMeasured, recoveredIn } from './earlier.js';
import { Facts, NoAnswerError, LookUp, type NamedTopology } from './facts.js';
import { withSubject } from './follow-up.js';
import { helpText, notKnown } from './help.js';
import { notUnderstoodText, suspectIn } from './replies/examples.js';
import { intentOf, unknownIn, unknownPhraseIn, unknownWordIn } from './intents/intents.js';
import type { Intent } from './intents/intent.js';
import type { MarkdownText } from './replies/markdown-text.js';
import { readQuestion, unknownWords, type Question, type Remark } from './question.js';
import { leftOutText, mayBeWords, misplacedText, namedBy, otherTopologyOffer } from './named.js';
import { withPending } from './pending.js';
import { withSeveral } from './several.js';
import { smallTalk } from './small-talk.js';
import { findTopology } from './subject.js';
import { corrected, corrections, correctionText, type Correction } from './spelling.js';
import type { AnswerInput, OracleBrief } from './answer-input.js';

/** A line break before a line that is no item of a list. */
const PARAGRAPH = /\n+(?!- |\d+\. |\n)/g;

const START = 'start_diagnosis';

/** What an answer says to offer a diagnosis of a topology. */
const OFFER = /ask me to "diagnose topology \d+"/;

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
  const question = readQuestion(brief.userMessage, brief.now);
  const plan = answer(
    {
      brief,
      question,
      before:
        brief.run === undefined
          ? discussedLast(remarks)
          : { runId: brief.run, topologyId: brief.topology?.id },
      offered: OFFER.test(remarks.findLast(({ by }) => by === 'oracle')?.text ?? ''),
      facts: factsFor(question, answers),
      recovered: recoveredIn(remarks),
      hasMeasured: hasMeasured(remarks),
      suspect: suspectIn(remarks),
      tools,
      help: helpText(),
    },
    remarks,
  );
  const missing = plan.calls.find(({ tool }) => !tools.has(tool));
  if (missing) return say(refusalOf(missing.tool, brief));
  const names = [...new Set(plan.calls.map(({ tool }) => tool))];
  return brief.thinking && names.length > 0
    ? { ...plan, reasoning: `I need ${list(names)}.` }
    : plan;
}

/** Says why a call failed. The text of a refusal is an instruction for a model, and not shown. */
function failureText(failed: ToolAnswer): string {
  const { code } = (failed.output ?? {}) as { code?: unknown };
  if (code !== 'REFUSED') return `I could not find that out: ${errorOf(failed)}`;
  const id = failed.args['topology_id'];
  return failed.tool === START && typeof id === 'number'
    ? `I start a diagnosis only if you ask for it: write "diagnose topology ${id}".`
    : 'I may not do that for you.';
}

/**
 * Says why a tool is not there: the role of the person, or the sources that the question leaves.
 */
function refusalOf(tool: string, { needsRole = {} }: OracleBrief): string {
  const role = needsRole[tool];
  const deed = tool === START ? 'start a diagnosis' : 'look that up';
  if (role === undefined)
    return `I may not ${deed}: ${sourceOf(tool)} is not among the sources of this question.`;
  const what = tool === START ? 'start a diagnosis for you' : `use ${tool} for you`;
  return `I may not ${what}: your credential would need the role ${role}. Ask an administrator for it, or someone who has it to do that.`;
}

/** The tools of each source of a question; all others are `tools`. */
const SOURCES: Readonly<Record<string, string>> = {
  list_topologies: 'topologies',
  get_topology: 'topologies',
  list_runs: 'runs',
  get_run: 'runs',
  read_log: 'logs',
};

const sourceOf = (tool: string): string => SOURCES[tool] ?? 'tools';

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

function answer(asked: AnswerInput, remarks: readonly Remark[]): Plan {
  try {
    const talk = smallTalk(asked.brief.userMessage.toLowerCase(), asked.help);
    return say(talk ?? answerOf(withNames(withSeveral(asked, remarks)), remarks));
  } catch (error) {
    if (error instanceof LookUp) return { reasoning: '', text: '', calls: error.calls };
    if (error instanceof NoAnswerError) return say(error.message);
    throw error;
  }
}

/** Answers a question as it was written, or else with its misspelt words corrected. */
function answerOf(asked: AnswerInput, remarks: readonly Remark[]): string | MarkdownText {
  const intent = intentOf(asked);
  if (intent) return withNotes([], intent, followUp(asked, remarks));
  const way = [...corrections(asked), ...correctedName(asked)].find((each) =>
    intentOf(read(asked, each)),
  );
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

/**
 * Takes the subject of a question without one from the conversation; runs are then read with what
 * is about it.
 */
function followUp(asked: AnswerInput, remarks: readonly Remark[]): AnswerInput {
  const meant = withSubject(asked, remarks);
  return meant === asked
    ? asked
    : { ...meant, facts: new Facts(asked.facts.answers, meant.question.names) };
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

/** Reads a question anew with its corrected words. */
function read(asked: AnswerInput, way: readonly Correction[]): AnswerInput {
  const question = readQuestion(corrected(asked.question.text, way), asked.brief.now);
  return withNames({ ...asked, question, facts: factsFor(question, asked.facts.answers) });
}

/** Reads a question anew without its names: a name may have words that ask something. */
function withNames(asked: AnswerInput): AnswerInput {
  const { question, brief, facts } = asked;
  const hasIds = question.topologyIds.length + question.runIds.length > 0;
  if (intentOf(asked)?.isNameless === true) return asked;
  const all = hasIds && unknownWords(question.rest).length === 0 ? [] : namedBy(asked);
  const readWith = (names: readonly NamedTopology[]): AnswerInput => {
    const again = readQuestion(question.text, brief.now, names);
    return { ...asked, question: again, facts: factsFor(again, facts.answers) };
  };
  const asWords = readWith([]);
  return mayBeWords(question.text, all) && intentOf(asWords) ? asWords : readWith(all);
}

const factsFor = ({ names, rest }: Question, answers: readonly ToolAnswer[]): Facts =>
  new Facts(answers, unknownWords(rest).length > 0 ? names : '');

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
