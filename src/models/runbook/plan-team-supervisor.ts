import type { Brief } from '../../domain/prompt/brief.js';
import { textOf, type JsonObject } from '../../lib/json.js';
import { mergeFindings } from './merge-findings.js';
import { count, list, reportsIn, type Answer, type Plan } from './plan.js';

/**
 * Plans a turn of a team supervisor: dispatch all workers, dispatch those without a measurement again, report the findings.
 * @param most calls that may be made in a turn: what is more comes in the next one
 */
export function planTeamSupervisor(
  brief: Extract<Brief, { role: 'team_supervisor' }>,
  answers: readonly Answer[],
  most = Infinity,
): Plan {
  const nodeName = new Map(brief.nodes.map((node) => [node.id, node.name]));
  const [watched, unwatched] = [true, false].map((has) =>
    brief.nodes.flatMap(({ id, name }) =>
      brief.workers.some(({ node }) => node === id) === has ? [name] : [],
    ),
  ) as [string[], string[]];
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
          ? `${brief.team} sends a worker to each of ${list(watched)}.`
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
  const unwell = [
    ...new Set(
      findings.filter((f) => f.severity !== 'info').map((f) => nodeName.get(f.node) ?? f.node),
    ),
  ];
  const summary = `${brief.team}: ${
    unwell.length > 0 ? `trouble with ${list(unwell)}` : `nothing wrong with ${list(watched)}`
  }${unwatched.length > 0 ? `; ${list(unwatched)} cannot be measured` : ''}.`;
  return {
    reasoning: '',
    text: summary,
    calls: [{ tool: 'report', args: { summary, findings: findings as unknown as JsonObject[] } }],
  };
}
