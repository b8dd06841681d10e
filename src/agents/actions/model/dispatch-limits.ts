import type { EventData } from '../../../domain/events/event.js';
import { isLibrarian } from '../../../domain/librarian.js';
import type { Topology } from '../../../domain/topology/topology.js';
import type { LogPort } from '../../../event-log/log-port.js';
import type { AgentSession } from '../../runtime/agent-session.js';

/** Maximum dispatches of one worker in a run, and of a run for each of its workers. */
const MOST_OF_WORKER = 3;
const MOST_PER_WORKER = 4;

/** The agents that were dispatched in this run so far, one entry a dispatch. */
export async function dispatchesInRun(
  { runId, read }: AgentSession,
  log: LogPort,
): Promise<string[]> {
  const events = await log.reports(runId, '', read.reports);
  return events.flatMap(({ event, data }) => {
    if (event.action === 'report') return [];
    const { agent_id } = data as EventData['dispatch.worker'];
    return isLibrarian(agent_id) ? [] : [agent_id];
  });
}

/**
 * Why an agent is not dispatched again, for the model; null if it is. Without this limit a model in
 * a loop would make a run of any size.
 * @param dispatched one entry for each dispatch of the run so far
 */
export function dispatchFault(
  { teams }: Topology,
  dispatched: readonly string[],
  { agentId, name }: { agentId: string; name: string },
): string | null {
  const workers = teams.flatMap((team) => team.workers);
  const most = MOST_PER_WORKER * Math.max(1, workers.length);
  if (dispatched.length >= most)
    return `A run of this topology has at most ${most} dispatches, and they are used. Report what you have.`;
  const isWorker = workers.some((worker) => worker.agentId === agentId);
  const before = dispatched.filter((id) => id === agentId).length;
  return isWorker && before >= MOST_OF_WORKER
    ? `${name} was dispatched ${before} times in this run, which is the limit. Report what you have.`
    : null;
}
