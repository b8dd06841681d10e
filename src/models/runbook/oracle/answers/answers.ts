import { mentions, nodesIn } from '../../../../domain/topology/names-in-text.js';
import { recoveredSince } from '../subject/earlier.js';
import { call, NoAnswerError, LookUp, type Run } from '../facts.js';
import { latestOfEach } from '../latest.js';
import { elsewhereLines } from './elsewhere.js';
import { everywhere, judgedVerdictsOf, nodesEverywhere } from './others.js';
import { subjectIn, type Question } from '../reading/question.js';
import { notUnderstoodText } from '../replies/examples.js';
import { topologiesText } from '../replies/lists.js';
import { detailLines, measuredLines, nodesLines } from '../replies/nodes.js';
import {
  repairLines,
  reportText,
  runLine,
  thenLine,
  timeText,
  type DiagnosedRun,
} from '../replies/report.js';
import { expectationOf, quantifierFor } from '../measured/expectation.js';
import { asksForRecovery, recoveryText, verdictOn } from '../replies/recovery.js';
import { checkedText, statesText } from '../replies/states.js';
import { intactText } from '../over-time/outage.js';
import { pastFailure } from '../over-time/past-failure.js';
import { areIntact } from '../over-time/read-runs.js';
import type { AnswerInput } from '../answer-input.js';
import {
  diagnosed,
  findRun,
  findTopology,
  isFresh,
  isNamed,
  isSaid,
  latestOf,
  subjectOf,
  topologiesNamed,
} from '../subject/subject.js';

/** Maximum of topologies in one answer. */
const MOST_CALLS = 20;

const PAGES: readonly (readonly [RegExp, string])[] = [
  [/\btopolog(?:y|ies)\b/, 'topologies'],
  [/\b(?:runs?|diagnos[ei]s|executions?)\b/, 'runs'],
  [/\bsettings\b/, 'settings'],
  [/\b(?:conversations?|chats?)\b/, 'conversations'],
  [/\b(?:home|dashboard|start page)\b/, 'home'],
];

/** Returns the page of the console that a question names. */
export function pageIn({ asks, runIds: [runId] }: Question): string | undefined {
  const page = PAGES.find(([words]) => words.test(asks))?.[1];
  return page === 'runs' && runId !== undefined ? `runs/${runId}` : page;
}

export function openPage({ question, facts }: AnswerInput): string {
  const page = pageIn(question) ?? '';
  if (!facts.answers.some(({ tool }) => tool === 'navigate_to_page'))
    throw new LookUp([call('navigate_to_page', { page })]);
  return `Opening ${page}.`;
}

export const topologies = ({ facts }: AnswerInput): string => topologiesText(facts.topologies());

/** Returns what a diagnosis checked, or what it found at the nodes that a question names. */
export function checked(asked: AnswerInput): string {
  const found = findRun(asked);
  const isOfNodes = nodesIn(asked.question.names, found.shape).length > 0;
  return isOfNodes ? explainRun(asked, found) : checkedText(found);
}

/**
 * Returns the changes that runs wait with for an approval, or else those of the latest diagnosis.
 * If a run is named or was discussed, those of that run.
 */
export function repairs(asked: AnswerInput): string {
  const { facts } = asked;
  const isOfRun = subjectOf(asked).runId !== undefined;
  const topology_id = isOfRun ? undefined : findTopology(asked);
  const open = isOfRun ? [] : facts.rows({ topology_id, status: 'running', limit: MOST_CALLS });
  facts.runs(open.map(({ run_id }) => run_id));
  const waiting = open
    .map(({ run_id }) => diagnosed(asked, run_id))
    .filter(({ run }) => run.approvals !== undefined);
  if (waiting.length === 0 && !isSaid(asked)) return 'No run waits for an approval.';
  const shown = waiting.length > 0 ? waiting : [findRun(asked)];
  return shown
    .flatMap((found) => {
      const lines = repairLines(found);
      return [...(lines.length > 0 ? lines : ['No change was asked for.']), runLine(found.run)];
    })
    .join('\n');
}

/** Returns what is known already of the faults that people report. */
export function complaint(asked: AnswerInput): string {
  const text = explain(asked);
  return isSaid(asked) ? `What the latest diagnosis found:\n${text}` : text;
}

/**
 * Explains the findings about the nodes that a question names, or about all nodes of what was
 * discussed. Lists the verdicts of all topologies if none was discussed, and if the question asks
 * about anything.
 */
export function explain(asked: AnswerInput, asksForNow = false): string {
  const several = topologiesNamed(asked);
  if (several.length > 1) return judgedVerdictsOf(asked, several);
  const hasSubject = asked.question.isUnbound ? isNamed : isSaid;
  if (!hasSubject(asked) && latestOfEach(asked.facts).some((each) => each.run))
    return everywhere(asked);
  const found = findRun(asked);
  const past = pastFailure(asked, found);
  if (past) return [...past.judgement, past.note, explainRun(past.asked, past.found)].join('\n');
  if (asksForRecovery(asked.question.asks)) return recovery(asked, found, asksForNow);
  const expected = expectationOf(asked.question.asks);
  const text = explainRun(asked, found, asksForNow);
  if (expected === undefined) return text;
  const nodes = nodesIn(asked.question.names, found.shape);
  const quantifier = quantifierFor(asked.question, nodes);
  return afterJudgement(verdictOn(found, nodes, { expected, quantifier }), text, nodes);
}

/** Puts a judgement before a text, which then does not say again that nothing was found. */
function afterJudgement(
  judgement: string,
  text: string,
  nodes: readonly { name: string }[],
): string {
  const said = ['', ...nodes.map(({ name }) => ` with ${name}`)].map(
    (which) => `Nothing was found to be wrong${which}.`,
  );
  const lines = text.split('\n').flatMap((line) => {
    const again = said.find((each) => line === each || line.startsWith(`${each} `));
    const rest = again === undefined ? line : line.slice(again.length).trim();
    return rest === '' ? [] : [rest];
  });
  return [judgement, ...lines].join('\n');
}

/**
 * Lists the nodes that are well, or those that are not: of the diagnosis in question, or else of
 * every topology.
 */
export function states(asked: AnswerInput): string {
  const { asks } = asked.question;
  const asksForWell = WELL.test(asks);
  if (OF_ALL.test(asks) || !isSaid(asked)) return nodesEverywhere(asked, asksForWell);
  const found = findRun(asked);
  const past = pastFailure({ ...asked, question: { ...asked.question, names: '' } }, found);
  const { run } = found;
  return [
    ...(isNamed(asked) || !OF_NODES.test(asks)
      ? []
      : [`In ${run.topology_name} (topology ${run.topology_id}):`]),
    ...(past ? [past.note] : []),
    statesText(past?.found ?? found, { asksForWell, isCounted: HOW_MANY.test(asks) }),
    ...(past ? [] : elsewhereLines(asked, found)),
  ].join('\n');
}

/** Asks for the nodes of all topologies. */
const OF_ALL =
  /\b(?:(?:all|every|any)(?: of)?(?: the| my| our)? (?:topolog(?:y|ies)|systems?)|everywhere|anywhere|overall|in total)\b/;
/** Sounds as if it meant the nodes of all topologies: "which nodes are down?" */
const OF_NODES = /\b(?:nodes?|services?|components?)\b/;
const HOW_MANY = /\bhow many\b/;
const WELL =
  /(?<!\bnot )\b(?:healthy|ok|okay|fine|well|good|up|works?|working|unaffected)\b|\bnot affected\b/;

/**
 * Says whether what a diagnosis found has ended since, by the latest diagnosis of that topology.
 */
function recovery(asked: AnswerInput, found: DiagnosedRun, asksForNow: boolean): string {
  const { question, brief } = asked;
  const isOfRun = question.runIds.length > 0;
  const latest = isOfRun ? found : latestOf(asked, found.run.topology_id);
  const { run_id } = latest.run;
  const nodes = nodesIn(question.names, latest.shape);
  if (!isOfRun && areIntact(asked, { nodes, found: [latest.run, found.run] }))
    return [intactText(nodes, latest.run, false), reportText(latest), thenLine(latest.run)].join(
      '\n',
    );
  const isSince = isFresh(latest.run, brief.now) || run_id !== found.run.run_id;
  return afterJudgement(
    recoveryText(latest, nodes, isSince),
    explainRun(asked, latest, asksForNow),
    nodes,
  );
}

/** Asks for the words of a node. */
const SAID = /\b(?:says?|said|body|message|exact(?:ly)?)\b/;

/**
 * Explains the findings of a diagnosis about the nodes that a question names, or about all nodes,
 * and says if it is old.
 */
export function explainRun(asked: AnswerInput, found: DiagnosedRun, asksForNow = false): string {
  const { question, brief } = asked;
  const { text, names, isForAll, topologyIds } = question;
  const { run, shape: known } = found;
  const isOfNow = question.runIds.length === 0 && !question.latest;
  const isOld = run.ended_at !== null && !isFresh(run, brief.now);
  const later = laterLines(asked, run);
  const now = later.length === 0 && (asksForNow || (isOfNow && isOld)) ? [thenLine(run)] : later;
  const nodes = nodesIn(names, known);
  const since = sinceLines(asked, run);
  if (nodes.length > 0 && run.report)
    return [
      ...since,
      ...nodesLines(found, nodes),
      ...(SAID.test(text) ? detailLines(found, nodes) : []),
      ...measuredLines(found, nodes),
      ...repairLines(found, (id) => nodes.some((node) => node.id === id)),
      runLine(run),
      ...now,
    ].join('\n');
  const subject = subjectIn(text);
  const isMeant =
    topologyIds.length > 0 ||
    mentions(text, run.topology_name) ||
    topologiesNamed(asked).includes(run.topology_id) ||
    (subject !== undefined && mentions(run.topology_name.toLowerCase(), subject));
  if (asksForNow && !isForAll && !isMeant) throw new NoAnswerError(notUnderstoodText(asked));
  const isKnown = subject === undefined || !known || isMeant;
  return [
    ...since,
    ...(isKnown ? [] : [`I know no node called "${subject}" in what was diagnosed last.`]),
    reportText(found),
    ...now,
  ].join('\n');
}

/** Says what the conversation has measured to be well since the diagnosis. */
function sinceLines({ recovered }: AnswerInput, run: Run): string[] {
  const since = recoveredSince(recovered, run);
  return since
    ? [`${since.text} That was measured at ${since.at}; the diagnosis of ${since.since} had found:`]
    : [];
}

/**
 * Says if the topology of the diagnosis that was discussed before has been diagnosed again. Names
 * no run, and so changes no subject.
 */
function laterLines({ question, before, facts }: AnswerInput, run: Run): string[] {
  if (before.runId !== run.run_id || question.runIds.length > 0) return [];
  const [latest] = facts.rows({ topology_id: run.topology_id, status: 'completed', limit: 1 });
  return latest === undefined || latest.created_at <= run.created_at
    ? []
    : [
        `It was diagnosed again at ${timeText(latest.created_at)}; ask me about the latest run of topology ${run.topology_id}.`,
      ];
}
