import { textOf, type Json, type JsonObject } from '../../lib/json.js';
import {
  isFailure,
  symptomOf,
  type Finding,
  type RootCause,
  type Symptom,
} from '../../domain/diagnosis/finding.js';
import { teamsOf, teamsToSend, type GlobalBrief } from './teams-to-send.js';
import { mergeFindings } from './merge-findings.js';
import { type MeasuredRanking, rankingSchema } from '../../domain/diagnosis/measured-ranking.js';
import { isExplained } from '../../domain/diagnosis/ranked-causes.js';
import { findRootCauses } from '../../domain/diagnosis/root-cause.js';
import { causesSentence, affectedSentence } from '../../domain/diagnosis/verdict.js';
import { count, list, reportsIn, type ToolAnswer, type Plan } from './plan.js';

const RANKING = 'rank_root_causes';
/** Maximum number of suspects: as many as a person would compare. */
const MOST_SUSPECTS = 3;

/** The telemetry is still being read after a call timed out, so a further call may succeed. */
const MOST_LOOKS = 3;
const isLateLook =
  (looks: ReadonlySet<string>) =>
  ({ tool, failed, output }: ToolAnswer): boolean =>
    failed &&
    looks.has(tool) &&
    isObject(output) &&
    textOf(output, 'error').startsWith('no result within');

/** A result of the ranking: the id of its call, its words and the most likely causes. */
interface Ranking {
  id: string;
  summary: string;
  suspects: MeasuredRanking['causes'];
}

function rankingIn(answers: readonly ToolAnswer[]): Ranking | undefined {
  const answer = answers.findLast(({ tool, failed }) => tool === RANKING && !failed);
  if (!answer || !isObject(answer.output)) return undefined;
  const { id, output } = answer;
  const parsed = rankingSchema.safeParse(output['measurements']);
  const suspects = parsed.success ? parsed.data.causes.slice(0, MOST_SUSPECTS) : [];
  return { id, suspects, summary: textOf(output, 'summary') };
}

/** The first suspect of the ranking as a claim that rests on it. */
const suspected = ({ id }: Ranking, { node, title, alertOnly }: Ranking['suspects'][number]) => ({
  node,
  title,
  severity: alertOnly ? 'warning' : 'critical',
  symptom: 'erroring',
  detail: '',
  evidence: [id],
});

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Symptoms that a restart may fix: the process is gone, or in a state from which it does not
 * recover by itself.
 */
const CURABLE: readonly Symptom[] = ['unreachable', 'erroring', 'slow'];

/** Ids of the root causes that a restart may fix. */
const curable = (rootCauses: readonly RootCause[], findings: readonly Finding[]): string[] =>
  rootCauses.flatMap(({ node }) =>
    findings.some(
      (finding) =>
        finding.node === node && isFailure(finding) && CURABLE.includes(symptomOf(finding)),
    )
      ? [node]
      : [],
  );

/** Repairs of nodes that the run may ask for, and has not asked for yet. */
function repairsFor(
  nodes: readonly string[],
  { repairs = [] }: GlobalBrief,
  answers: readonly ToolAnswer[],
): Plan['calls'] {
  const asked = new Set(answers.map(({ tool, args }) => `${tool} ${textOf(args, 'node')}`));
  return repairs.filter(({ tool, args }) => {
    const node = textOf(args, 'node');
    return nodes.includes(node) && !asked.has(`${tool} ${node}`);
  });
}

/**
 * Plans a turn of the global supervisor: dispatch teams, dispatch the other teams if no cause was
 * found or the message names no node, conclude by rule.
 * @param most calls that may be made in a turn: what is more comes in the next one
 */
export function planGlobalSupervisor(
  brief: GlobalBrief,
  answers: readonly ToolAnswer[],
  most = Infinity,
): Plan {
  const task = (team: string) => `Check the nodes of team ${team}.`;
  const send = (teams: string[]) =>
    teams
      .slice(0, most)
      .map((team) => ({ tool: 'dispatch_team', args: { team, task: task(team) } }));
  const nameOf = (id: string) => brief.nodes.find((node) => node.id === id)?.name ?? id;

  if (answers.length === 0 && brief.firstLook.length > 0)
    return {
      reasoning: 'Read system-wide telemetry first, to choose the nodes to check.',
      text: '',
      calls: brief.firstLook,
    };
  const looks = new Set(brief.firstLook.map(({ tool }) => tool));
  if (answers.length > 0 && answers.length < MOST_LOOKS && answers.every(isLateLook(looks)))
    return {
      reasoning: 'The telemetry could not be read in time: it is asked for again.',
      text: '',
      calls: answers.slice(-1).map(({ tool, args }) => ({ tool, args })),
    };
  const ranking = rankingIn(answers);
  const suspects = ranking?.suspects.map(({ node }) => node) ?? [];
  const isAlertOnly = ranking?.suspects[0]?.alertOnly === true;
  const sent = answers.some(({ tool }) => !looks.has(tool));
  const first = suspects.length > 0 ? teamsOf(suspects, brief) : teamsToSend(brief);
  if (!sent && brief.teams.length > 0) {
    if (suspects.length > 0)
      return {
        reasoning: `${isAlertOnly ? 'Nothing but an alert' : 'The telemetry'} points at ${list(suspects.map(nameOf))}: ${list(first)} ${first.length === 1 ? 'looks' : 'look'} closer.`,
        text: '',
        calls: send(first),
      };
    const whole = first.length === brief.teams.length;
    return {
      reasoning: whole
        ? `${count(brief.nodes.length, 'node')} in ${count(brief.teams.length, 'team')}: all are asked at once.`
        : `The message points at ${list(first)}: they and what they depend on come first.`,
      text: '',
      calls: send(first),
    };
  }

  // A team that could not be dispatched has an answer without a report. It is not tried again, so
  // that the plan ends.
  const triedOnce = new Set(answers.map((answer) => textOf(answer.args, 'team')));
  const unsent = first.filter((name) => !triedOnce.has(name));
  if (unsent.length > 0) {
    const calls = send(unsent);
    const reasoning = `${count(unsent.length, 'team')} had no turn yet: ${calls.length} of them now.`;
    return { reasoning, text: '', calls };
  }

  const reports = reportsIn(answers, 'dispatch_team');
  const findings = reports.reduce(
    (all, { report }) => mergeFindings(all, report.findings),
    [] as ReturnType<typeof mergeFindings>,
  );
  const unchecked = reports.flatMap(({ report }) => report.unchecked ?? []);
  const {
    rootCauses,
    findings: restated,
    downstream,
  } = findRootCauses(brief.nodes, findings, { unchecked });

  const asked = new Set(reports.map(({ name }) => name));
  const others = brief.teams.map((team) => team.name).filter((name) => !asked.has(name));
  const next = others.filter((name) => !triedOnce.has(name));
  const isOpen = rootCauses.length === 0 && (suspects.length === 0 || isAlertOnly);
  // A question about the whole system asks for more than its most likely cause.
  const isOfAll = teamsToSend(brief).length === brief.teams.length;
  if ((isOpen || isOfAll) && next.length > 0)
    return {
      reasoning: isOpen
        ? `No cause found so far: ${list(next)} are asked too.`
        : `The question is about all nodes: ${list(next)} are asked too.`,
      text: '',
      calls: send(next),
    };

  const [suspect] = ranking?.suspects ?? [];
  const isSuspected =
    suspect !== undefined && !isExplained(suspect, brief.nodes, { findings: restated, downstream });
  const claims = ranking && isSuspected ? [suspected(ranking, suspect), ...restated] : restated;

  if (suspects.length > 0 && rootCauses.length === 0) {
    const summary = `${ranking?.summary}.`;
    return {
      reasoning: isAlertOnly
        ? 'Nothing that was recorded or measured shows why the alert fires.'
        : `Nothing that the teams measured contradicts the ranking: ${list(suspects.map(nameOf))}.`,
      text: summary,
      calls: [{ tool: 'report', args: { summary, findings: claims as unknown as JsonObject[] } }],
    };
  }

  const roots = rootCauses.map((cause) => cause.node);
  const repairs = repairsFor(curable(rootCauses, restated), brief, answers);
  if (repairs.length > 0)
    return {
      reasoning: `${list(repairs.map(({ args }) => nameOf(textOf(args, 'node'))))}: a repair is proposed, and waits for the approval of a person.`,
      text: '',
      calls: repairs,
    };
  const summary =
    rootCauses.length > 0
      ? causesSentence(rootCauses, nameOf, unchecked) +
        (downstream.length > 0
          ? ` ${affectedSentence(rootCauses, downstream.map(nameOf), nameOf)}`
          : '')
      : unchecked.length > 0
        ? 'No failure was found, but not all nodes could be checked.'
        : restated.length > 0
          ? 'Nothing is failing.'
          : 'All checked nodes are healthy.';
  return {
    reasoning:
      rootCauses.length > 0
        ? `${list(roots.map(nameOf))}: unhealthy, and nothing that ${roots.length === 1 ? 'it depends' : 'they depend'} on explains it.`
        : '',
    text: summary,
    calls: [
      {
        tool: 'report',
        args: {
          summary,
          root_causes: rootCauses as unknown as JsonObject[],
          findings: bounded(claims, roots) as unknown as JsonObject[],
        },
      },
    ],
  };
}

/** UTF-16 code units of the findings of a report, which must fit into the arguments of a call. */
const MOST_FINDINGS = 32_768;

/**
 * The findings; if they are too many for a report, as many as it has room for, those about root
 * causes first: the reports of the teams have all of them.
 */
function bounded<Each extends { node: string }>(
  findings: readonly Each[],
  roots: readonly string[],
): Each[] {
  if (JSON.stringify(findings).length <= MOST_FINDINGS) return [...findings];
  const ofCause = ({ node }: Each) => roots.includes(node);
  let left = MOST_FINDINGS;
  return [...findings.filter(ofCause), ...findings.filter((each) => !ofCause(each))].filter(
    (each) => (left -= JSON.stringify(each).length) >= 0,
  );
}
