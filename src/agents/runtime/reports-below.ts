import type { RunEvent } from '../../domain/events/event.js';
import type { LogPort } from '../../event-log/log-port.js';
import type { AgentSession } from './agent-session.js';

/** The dispatches and reports of all agents below one, in the order of the log. */
export async function reportsBelow(
  { runId, dispatchId, read }: AgentSession,
  log: LogPort,
): Promise<RunEvent[]> {
  const under = dispatchId === null ? '' : `${dispatchId}_`;
  return read.whole.reports ?? log.reports(runId, under, read.reports);
}
