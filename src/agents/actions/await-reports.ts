import type { EventData, RunEvent } from '../../domain/events/event.js';
import { textOf, type Json, type JsonObject } from '../../lib/json.js';
import { foldReports } from '../../domain/diagnosis/report.js';
import { clip } from '../../lib/text.js';
import type { EventLog } from '../../event-log/event-log.js';
import type { AgentSession } from '../runtime/agent-session.js';
import type { Message } from '../runtime/conversation.js';
import { reportsBelow } from '../runtime/reports-below.js';
import { emitAgentEvent } from '../notices/emit-agent-event.js';

/**
 * Waits until everybody who was sent has reported, and hands the reports to the model as the results of its calls.
 * @returns `wait` when somebody has not: the agent is to be parked
 */
export async function awaitReports(
  session: AgentSession,
  log: EventLog,
  path: string,
): Promise<'success' | 'wait'> {
  const { board } = session;
  if (board.waiting.some(({ dispatch_id }) => session.unsent.has(dispatch_id))) return 'wait';
  const reported = await log.reported(session.runId);
  if (board.waiting.some(({ dispatch_id }) => !reported.has(dispatch_id))) return 'wait';

  const events = await reportsBelow(session, log);
  const messages = board.waiting.map(({ dispatch_id, call_id }): Message => {
    const report = events.find(
      ({ event, data }) =>
        event.action === 'report' &&
        (data as EventData['dispatch.report']).dispatch_id === dispatch_id,
    );
    const { status, reasons, summary, findings } = report?.data as EventData['dispatch.report'];
    emitAgentEvent(session, 'subagent.end', { dispatch_id, status, summary: clip(summary, 300) });
    const output = {
      status,
      reasons,
      summary,
      findings,
      unchecked: uncheckedBelow(session, dispatch_id, events),
    };
    return { role: 'result', id: call_id, output: output as unknown as Json, failed: false };
  });
  emitAgentEvent(session, 'task.checkpoint', { message: reportsIn(session, messages) });
  board.waiting = [];
  session.hold([], messages, path);
  return 'success';
}

/** A part of the task is done: everybody who was sent has reported. */
function reportsIn({ board, spec }: AgentSession, messages: readonly Message[]): string {
  const statuses = messages.map((message) =>
    message.role === 'result' ? textOf(message.output as JsonObject, 'status') : '',
  );
  const counts = ['ok', 'partial', 'failed'].map(
    (status) => [statuses.filter((one) => one === status).length, status] as const,
  );
  const words = counts.flatMap(([count, status]) => (count > 0 ? [`${count} ${status}`] : []));
  return `all whom you sent have reported (${words.join(', ')}); turn ${board.turn} of ${spec.limits.maxIterations}`;
}

/** The nodes of a team that could not be looked at, for the supervisor that sent it. */
function uncheckedBelow(session: AgentSession, dispatchId: string, events: readonly RunEvent[]) {
  const { topology } = session.spec;
  const sent = events.find(
    ({ event, data }) =>
      event.action === 'team' && (data as EventData['dispatch.team']).dispatch_id === dispatchId,
  );
  const name = sent && (sent.data as EventData['dispatch.team']).team_name;
  const nodes = topology.teams.find((team) => team.name === name)?.nodes ?? [];
  return foldReports(topology, events).unchecked.filter(({ node }) => nodes.includes(node));
}
