import { DelayedError, WaitingChildrenError, type Job } from 'bullmq';
import type { OpenDispatch } from '../../domain/blackboard.js';
import type { EventLog } from '../../event-log/event-log.js';
import type { AgentJob, Queues } from '../../queues/queues.js';
import type { AgentRuntime } from './agent-runtime.js';
import type { AgentSession, Parked } from './agent-session.js';
import { closeDispatch } from './close-dispatch.js';

const roleBelow = (open: OpenDispatch) =>
  open.tool === 'dispatch_team' ? 'team_supervisor' : 'worker';

/**
 * Gives the slot of an agent back that waits for its model: for as long as it was told, or until it is woken.
 * @throws DelayedError
 */
export async function parkForModel(
  job: Job<AgentJob>,
  token: string,
  session: AgentSession,
  parked: Parked,
  runtime: AgentRuntime,
): Promise<never> {
  // A stretch that ends here was not lost.
  if (!session.writer.isResting)
    await session.writer.append([], { checkpoint: JSON.stringify(session.board), progress: true });
  await job.moveToDelayed(Date.now() + Math.max(0, parked.ms), token);
  void runtime.parked(parked);
  throw new DelayedError();
}

/**
 * Gives a supervisor's slot back until all whom it has sent have ended. Adds the jobs that are not there yet; whoever has
 * ended without a report is reported for. Returns when there is nothing to wait for.
 * @throws WaitingChildrenError when the job is parked
 */
export async function park(
  job: Job<AgentJob>,
  token: string,
  session: AgentSession,
  log: EventLog,
  queues: Queues,
): Promise<void> {
  const { board, runId, unsent, writer } = session;
  const isNew = board.waiting.every(({ dispatch_id }) => unsent.has(dispatch_id));
  const missing = isNew ? board.waiting : await closeEnded(job, session, log, queues);
  // A stretch that ends here was not lost. Mostly its last step has said so.
  if (!writer.isResting) await session.record([]);
  const parent = { id: job.id as string, queue: job.queueQualifiedName };
  for (const role of ['team_supervisor', 'worker'] as const) {
    const open = missing.filter((dispatch) => roleBelow(dispatch) === role);
    const jobs = open.map(({ dispatch_id, agent_id, task }) => ({
      runId,
      dispatchId: dispatch_id,
      agentId: agent_id,
      task,
    }));
    await queues.addChildren(parent, role, jobs);
  }
  unsent.clear();
  if (await job.moveToWaitingChildren(token)) throw new WaitingChildrenError();
}

/** Reports for whoever has ended without a report. @returns those who have no job */
async function closeEnded(
  job: Job<AgentJob>,
  { board, runId, spec }: AgentSession,
  log: EventLog,
  queues: Queues,
): Promise<OpenDispatch[]> {
  const [known, reported] = await Promise.all([job.getDependencies(), log.reported(runId)]);
  const ended = new Set([
    ...Object.keys(known.processed ?? {}),
    ...Object.keys(known.ignored ?? {}),
  ]);
  const alive = new Set(known.unprocessed ?? []);
  const missing: OpenDispatch[] = [];
  for (const open of board.waiting.filter(({ dispatch_id }) => !reported.has(dispatch_id))) {
    const key = queues.childKey(roleBelow(open), { runId, dispatchId: open.dispatch_id });
    if (ended.has(key))
      await closeDispatch(log, runId, spec.topology, open.dispatch_id, open.agent_id);
    else if (!alive.has(key)) missing.push(open);
  }
  return missing;
}
