import type { NextStep } from '../../../../domain/diagnosis/finding.js';
import { escapeMarkdown } from '../../../../lib/markdown.js';
import type { AnswerInput } from '../answer-input.js';
import { recoveredSince } from '../subject/earlier.js';
import { topicIn, type Topic } from '../details/topics.js';
import { NoAnswerError, type Run } from '../facts.js';
import { brokenRows, latestOfEach } from '../latest.js';
import { elsewhereIfWell } from '../answers/elsewhere.js';
import { overLines } from '../over-time/past-failure.js';
import { byUrgency, FIRST, orderLines } from './fix-first.js';
import { nodesMeant } from './nodes-meant.js';
import { withoutParts } from '../reading/question.js';
import { isFoundWrong, stepsText } from '../replies/steps.js';
import { nodesLines } from '../replies/nodes.js';
import { verdictText } from '../replies/verdict.js';
import { type MarkdownText } from '../replies/markdown-text.js';
import { runLine, timeText, type DiagnosedRun } from '../replies/report.js';
import { allDiagnosed, diagnosed, findRun, isSaid, latestOf } from '../subject/subject.js';

/**
 * Returns the next steps of the report in question, or those of the nodes in question. If nothing
 * is wrong there, says what had been, and where else something is wrong.
 */
export function nextSteps(given: AnswerInput): MarkdownText {
  const asked = { ...given, question: withoutParts(given.question) };
  const isFirst = FIRST.test(asked.question.asks);
  const topic = topicIn(asked.question.asks);
  if (!isSaid(asked)) return stepsOfWrong(asked, isFirst, topic);
  const found = newestFor(asked);
  const nodes = isFirst && asked.question.isInherited ? [] : nodesMeant(asked.question, found);
  const over = overLines(asked, found, nodes);
  if (over.length > 0 && topic === undefined) {
    const now = nodes.length === 0 ? [verdictText(found)] : nodesLines(found, nodes);
    const lines = [...over, ...now, runLine(found.run), ...elsewhereIfWell(asked, found)];
    return { markdown: lines.map(escapeItem).join('\n') };
  }
  const steps = isFirst
    ? withOrder([found], stepsText(inOrder(found), nodes, topic))
    : stepsText(found, nodes, topic);
  const elsewhere = elsewhereIfWell(asked, found).map((line) => `\n\n${escapeMarkdown(line)}`);
  return withNewest(asked, found, { markdown: `${steps.markdown}${elsewhere.join('')}` });
}

/** Escapes a line of an answer, which may be an item of a list. */
const escapeItem = (line: string): string =>
  line.startsWith('- ') ? `- ${escapeMarkdown(line.slice(2))}` : escapeMarkdown(line);

/**
 * Returns the next steps of the only topology with a root cause, or where to fix first if several
 * have one; about a topic: those of all that have such faults.
 * @throws NoAnswerError if several have one
 */
function stepsOfWrong(
  asked: AnswerInput,
  isFirst: boolean,
  topic: Topic | undefined,
): MarkdownText {
  const withFaults = topic ? foundAbout(asked, topic) : [];
  if (withFaults.length > 0)
    return {
      markdown: withFaults.map((each) => stepsText(each, [], topic).markdown).join('\n\n'),
    };
  const all = isFirst ? brokenRows(asked.facts) : [];
  if (all.length > 1)
    return orderOfAll(
      asked,
      all.map(({ run_id }) => run_id),
    );
  return stepsText(findRun(asked), [], topic);
}

/** What may be done to something that a diagnosis found: "how do I renew it?" */
export const CHANGE =
  '(?:renew|replace|rotate|reissue|free|clear|clean|increase|raise|extend|enlarge|expand|grow|reduce|lower|drain|purge|flush|reset|unlock)';
const VERB = new RegExp(`\\b${CHANGE}\\b`);

/**
 * Returns the next steps if one of them says how to do what the question asks for.
 * @throws NoAnswerError if none does
 */
export function stepsToDo(asked: AnswerInput): MarkdownText {
  const [verb = ''] = VERB.exec(asked.question.asks) ?? [];
  const steps = nextSteps(asked);
  if (new RegExp(`^\\d+\\. .*\\b${verb}\\b`, 'im').test(steps.markdown)) return steps;
  throw new NoAnswerError(`I know no step to ${verb} it. For all steps, ask "how do I fix it?".`);
}

/** Returns the latest diagnosis of each topology that found faults about a topic. */
const foundAbout = (asked: AnswerInput, topic: Topic): DiagnosedRun[] =>
  allDiagnosed(
    asked,
    latestOfEach(asked.facts).flatMap(({ run }) =>
      run && isFoundWrong(topic, run) ? [run.run_id] : [],
    ),
  );

/**
 * Sorts the steps of a diagnosis by the order in which its root causes are to be fixed, those of no
 * root cause last.
 */
function inOrder(found: DiagnosedRun): DiagnosedRun {
  const { run, shape } = found;
  const { report } = run;
  if (!report?.next_steps) return found;
  const root_causes = byUrgency(found);
  const placeOf = ({ node, nodes = [] }: NextStep): number => {
    const at = root_causes.findIndex((cause) => cause.node === node || nodes.includes(cause.node));
    return at === -1 ? root_causes.length : at;
  };
  const next_steps = report.next_steps.toSorted((a, b) => placeOf(a) - placeOf(b));
  return { run: { ...run, report: { ...report, root_causes, next_steps } }, shape };
}

/** Says in which order to fix the root causes of some diagnoses, if there are several. */
function withOrder(diagnoses: readonly DiagnosedRun[], steps: MarkdownText): MarkdownText {
  const [head, ...lines] = orderLines(diagnoses).map(escapeMarkdown);
  return head === undefined
    ? steps
    : { markdown: [head, '', ...lines, '', steps.markdown].join('\n') };
}

/** Says in which order to fix the root causes of several topologies. */
function orderOfAll(asked: AnswerInput, runIds: readonly string[]): MarkdownText {
  const diagnoses = allDiagnosed(asked, runIds);
  const lines = diagnoses.map(({ run }) => escapeMarkdown(runLine(run)));
  return withOrder(diagnoses, {
    markdown: ['For the steps of one, ask how to fix it by its name.', ...lines].join('\n\n'),
  });
}

/**
 * Returns the latest diagnosis of the topology in question, or the diagnosis that the question
 * names.
 */
export function newestFor(asked: AnswerInput): DiagnosedRun {
  const found = findRun(asked);
  return asked.question.runIds.length > 0 || found.run.status !== 'completed'
    ? found
    : latestOf(asked, found.run.topology_id);
}

/**
 * Says first if steps are those of an old diagnosis, and what the latest one found or was measured
 * since.
 */
function withNewest(asked: AnswerInput, { run }: DiagnosedRun, steps: MarkdownText): MarkdownText {
  const { topology_id, created_at } = run;
  const [newest] = asked.facts.rows({ topology_id, status: 'completed', limit: 1 });
  const later = newest && newest.created_at > created_at ? newest : undefined;
  const note = later
    ? `These are the steps of an old diagnosis, of ${timeText(created_at)}. The latest one, of ${timeText(later.created_at)}, found: ${verdictText(diagnosed(asked, later.run_id))}`
    : measuredSince(asked, run);
  return note === undefined ? steps : { markdown: `${escapeMarkdown(note)}\n\n${steps.markdown}` };
}

/** Says what the conversation has measured to be well since a diagnosis. */
function measuredSince({ recovered }: AnswerInput, run: Run) {
  const since = recoveredSince(recovered, run);
  return since
    ? `${since.text} That was measured since; these are the steps of the diagnosis of ${timeText(run.ended_at ?? run.created_at)}. For new ones, ask me to "diagnose topology ${run.topology_id}".`
    : undefined;
}
