import type { EventData, RunEvent } from '../../domain/events/event.js';
import { textOf, type Json, type JsonObject } from '../../lib/json.js';
import { agentReports } from '../../domain/diagnosis/agent-report.js';
import { currentMeasurements } from '../../domain/diagnosis/current-measurements.js';
import type { Measurement } from '../../domain/diagnosis/measurement.js';
import type { Finding, Unchecked } from '../../domain/diagnosis/finding.js';
import { uncheckedNodes } from '../../domain/diagnosis/unchecked/unchecked.js';
import { clip } from '../../lib/text.js';
import type { LogPort, RunMeasurements } from '../../event-log/log-port.js';
import type { AgentSession, SessionDraft } from '../runtime/agent-session.js';
import type { Message } from '../runtime/conversation.js';
import { reportsBelow } from '../runtime/reports-below.js';
import { emitAgentEvent } from '../notices/emit-agent-event.js';
import type { Action, ActionResult } from './action.js';

/** Maximum number of results that one report cites. */
const MOST_CITED = 50;

/**
 * Waits for the reports of all dispatched agents, and puts them to the model as the results of its
 * calls.
 */
export const awaitReports: Action = {
  name: 'await-reports',
  run({ session, ports: { log } }, { waiting }) {
    if (waiting.length === 0) return { outcome: 'success' };
    if (waiting.some(({ dispatch_id }) => session.unsent.has(dispatch_id)))
      return { outcome: 'wait' };
    return whenReported(session, log);
  },
};

async function whenReported(session: AgentSession, log: LogPort): Promise<ActionResult> {
  const events = await reportsBelow(session, log);
  const reported = new Set(
    events.flatMap(({ event, data }) =>
      event.action === 'report' ? [(data as EventData['dispatch.report']).dispatch_id] : [],
    ),
  );
  if (session.board.waiting.some(({ dispatch_id }) => !reported.has(dispatch_id)))
    return { outcome: 'wait' };
  const results = await resultsFor(session, log);
  session.read.whole = { reports: events, ...(results && { results }) };
  return takeReports(session.draft(), events, results?.measurements);
}

/**
 * The results that the reports below a supervisor cite. Undefined if the supervisor does not need
 * them: the built-in planner needs them only at the top.
 */
async function resultsFor(
  { runId, spec, place, dispatchId, chain, read: { measured: known } }: AgentSession,
  log: LogPort,
): Promise<RunMeasurements | undefined> {
  const isTop = place.type === 'global_supervisor';
  if (!isTop && chain[0]?.isFree === true) return undefined;
  const under = isTop ? '' : `${dispatchId}_`;
  return log.measured(runId, spec.topology, { under, known });
}

/**
 * The step that takes the reports of all agents that the agent waits for. Changes the draft.
 * @internal Exported for tests.
 */
export function takeReports(
  draft: SessionDraft,
  events: readonly RunEvent[],
  measured?: readonly Measurement[],
): ActionResult {
  const { board } = draft;
  const open = measured ? uncheckedIn(draft, events, measured) : [];
  const reports = new Map(
    events
      .filter(({ event }) => event.action === 'report')
      .map(({ data }) => data as EventData['dispatch.report'])
      .map((report) => [report.dispatch_id, report]),
  );
  const messages = board.waiting.map(({ dispatch_id, call_id }): Message => {
    const { status, reasons, summary, findings } = reports.get(
      dispatch_id,
    ) as EventData['dispatch.report'];
    emitAgentEvent(draft, 'subagent.end', { dispatch_id, status, summary: clip(summary, 300) });
    const nodes = nodesBelow(draft, dispatch_id, events);
    const unchecked = open.filter(({ node }) => nodes.includes(node));
    const cited = citedIn(findings, measured ?? []);
    const output = { status, reasons, summary, findings, cited, unchecked };
    return { role: 'result', id: call_id, output: output as unknown as Json, failed: false };
  });
  emitAgentEvent(draft, 'task.checkpoint', { message: reportsIn(draft, messages) });
  board.waiting = [];
  return { outcome: 'success', hold: true, state: board, messages };
}

/** The results that findings cite, shortened. `id` is the number in their `evidence`. */
function citedIn(findings: readonly Finding[], measured: readonly Measurement[]) {
  const numbers = new Set(findings.flatMap(({ evidence }) => evidence));
  return measured
    .filter(({ sequence }) => numbers.has(sequence))
    .slice(0, MOST_CITED)
    .map(({ sequence, tool, node, status, summary }) => ({
      id: sequence,
      tool,
      node,
      status,
      summary: clip(summary, 300),
    }));
}

/** The progress note of an agent whose dispatched agents have all reported. */
function reportsIn({ board, spec }: AgentSession, messages: readonly Message[]): string {
  const statuses = messages.map((message) =>
    message.role === 'result' ? textOf(message.output as JsonObject, 'status') : '',
  );
  const counts = ['ok', 'partial', 'failed'].map(
    (status) => [statuses.filter((one) => one === status).length, status] as const,
  );
  const parts = counts.flatMap(([count, status]) => (count > 0 ? [`${count} ${status}`] : []));
  return `All dispatched agents have reported (${parts.join(', ')}); turn ${board.turn} of ${spec.limits.maxIterations}.`;
}

/** The nodes that are not checked so far, including those of teams that were not dispatched. */
const uncheckedIn = (
  { spec: { topology } }: AgentSession,
  events: readonly RunEvent[],
  measured: readonly Measurement[],
): Unchecked[] =>
  uncheckedNodes(
    { nodes: topology.nodes, teams: topology.teams },
    measured,
    currentMeasurements(measured),
    agentReports(events),
  );

/** The ids of the nodes of a team, or of the node of a worker, by its dispatch. */
function nodesBelow(
  { spec: { topology } }: AgentSession,
  dispatchId: string,
  events: readonly RunEvent[],
): string[] {
  const sent = events.find(
    ({ event, data }) =>
      (event.action === 'team' || event.action === 'worker') &&
      (data as EventData['dispatch.team' | 'dispatch.worker']).dispatch_id === dispatchId,
  );
  if (!sent) return [];
  const { teams } = topology;
  const data = sent.data as EventData['dispatch.team'] | EventData['dispatch.worker'];
  if ('team_name' in data) return teams.find(({ name }) => name === data.team_name)?.nodes ?? [];
  return teams.flatMap(({ workers }) =>
    workers.flatMap(({ agentId, node }) => (agentId === data.agent_id ? [node] : [])),
  );
}
