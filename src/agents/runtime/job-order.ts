import type { RunSpec } from '../../domain/run.js';
import { LAST_ORDER } from '../../queues/job-ids.js';

/** Workers of a run that share a place in the queue: those that one process runs at once. */
const WORKERS_TOGETHER = 16;

/**
 * The place in the queue of an agent's job: that of its run, and for every 16 workers that stand
 * before it in the topology one more. So a run of many nodes does not hold up the runs after it.
 * Undefined: it goes first.
 */
export function jobOrder(
  { order = 0, topology }: Pick<RunSpec, 'order' | 'topology'>,
  agentId: string,
): number | undefined {
  const workers = topology.teams.flatMap((team) => team.workers);
  const before = workers.findIndex((worker) => worker.agentId === agentId);
  const own = order + Math.floor(Math.max(0, before) / WORKERS_TOGETHER);
  return own === 0 ? undefined : Math.min(own, LAST_ORDER);
}
