import type { Brief } from '../../domain/prompt/brief.js';
import type { Finding } from '../../domain/diagnosis/finding.js';
import { textOf, type JsonObject } from '../../lib/json.js';
import { nothingRecorded } from './plan-worker.js';
import { mergeFindings } from './merge-findings.js';
import { count, list, reportsIn, type ToolAnswer, type Plan } from './plan.js';

type TeamBrief = Extract<Brief, { role: 'team_supervisor' }>;

/** The nodes that have a worker. */
const watchedIn = ({ nodes, workers }: TeamBrief): TeamBrief['nodes'] =>
  nodes.filter(({ id }) => workers.some(({ node }) => node === id));

/**
 * Plans a turn of a team supervisor: dispatch all workers, dispatch those without a measurement
 * again, report the findings.
 * @param most calls that may be made in a turn: what is more comes in the next one
 */
export function planTeamSupervisor(
  brief: TeamBrief,
  answers: readonly ToolAnswer[],
  most = Infinity,
): Plan {
  const nodeName = new Map(brief.nodes.map((node) => [node.id, node.name]));
  const send = (workers: { name: string; node: string }[], why: string) =>
    workers.slice(0, most).map(({ name, node }) => ({
      tool: 'dispatch_worker',
      args: { worker: name, task: `${why} ${nodeName.get(node) ?? node}.` },
    }));

  const reports = reportsIn(answers, 'dispatch_worker');
  const asked = new Set(answers.map(({ args }) => textOf(args, 'worker')));
  const unsent = brief.workers.filter(({ name }) => !asked.has(name));
  if (unsent.length > 0) {
    const calls = send(unsent, 'Check the health of');
    return {
      reasoning:
        calls.length === brief.workers.length
          ? `${brief.team} sends a worker to each of ${list(watchedIn(brief).map(({ name }) => name))}.`
          : `${brief.team} sends ${count(calls.length, 'worker')} of ${brief.workers.length} in this turn.`,
      text: '',
      calls,
    };
  }

  const again = brief.workers.filter(({ name }) => {
    const own = reports.filter((report) => report.name === name);
    const [first] = own;
    return (
      own.length === 1 &&
      (first?.report.status === 'failed' || first?.report.reasons.includes('TOOL_FAILED') === true)
    );
  });
  if (again.length > 0)
    return {
      reasoning: `${list(again.map(({ name }) => name))} came back without a measurement: once more.`,
      text: '',
      calls: send(again, 'The first attempt measured nothing. Check once more the health of'),
    };

  const findings = reports.reduce(
    (all, { report }) => mergeFindings(all, report.findings),
    [] as ReturnType<typeof mergeFindings>,
  );
  const summary = `${brief.team}: ${healthText(brief, reports, findings)}.`;
  return {
    reasoning: '',
    text: summary,
    calls: [{ tool: 'report', args: { summary, findings: findings as unknown as JsonObject[] } }],
  };
}

/** The states of the team's nodes: those that nothing measured are neither healthy nor failing. */
function healthText(
  brief: TeamBrief,
  reports: ReturnType<typeof reportsIn>,
  findings: readonly Finding[],
): string {
  // A worker may have been dispatched twice.
  const last = new Map(reports.map(({ name, report }) => [name, report]));
  const unhealthy = new Set(findings.flatMap((f) => (f.severity === 'info' ? [] : [f.node])));
  const noted = new Set(findings.map(({ node }) => node));
  const nameOf = (node: string) => brief.nodes.find(({ id }) => id === node)?.name ?? node;
  const measured = new Set(
    brief.workers.flatMap(({ name, node }) => {
      const report = last.get(name);
      const isOpen =
        report?.unchecked?.some((each) => each.node === node) ||
        report?.summary === nothingRecorded(nameOf(node));
      return report === undefined || report.status === 'failed' || isOpen ? [] : [node];
    }),
  );
  const watched = new Set(watchedIn(brief).map(({ id }) => id));
  const named = (isMeant: (id: string) => boolean) =>
    list(brief.nodes.flatMap(({ id, name }) => (isMeant(id) ? [name] : [])));
  const unhealthyCount = brief.nodes.filter(({ id }) => unhealthy.has(id)).length;
  const unhealthyNames = named((id) => unhealthy.has(id));
  const changed = named((id) => !unhealthy.has(id) && noted.has(id));
  const well = named((id) => !noted.has(id) && measured.has(id));
  const open = named((id) => !noted.has(id) && !measured.has(id) && watched.has(id));
  const unwatched = named((id) => !noted.has(id) && !watched.has(id));
  return [
    ...(unhealthyNames === ''
      ? []
      : [`${unhealthyNames} ${unhealthyCount === 1 ? 'is' : 'are'} unhealthy`]),
    ...(changed === '' ? [] : [`something to note at ${changed}`]),
    ...(unhealthyNames === '' && well !== '' ? [`nothing wrong with ${well}`] : []),
    ...(open === '' ? [] : [`${open} could not be measured`]),
    ...(unwatched === '' ? [] : [`${unwatched} cannot be measured`]),
  ].join('; ');
}
