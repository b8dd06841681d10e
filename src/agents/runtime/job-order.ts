import type { RunSpec } from '../../domain/run.js';
import { LAST_ORDER } from '../../queues/job-ids.js';

/** Workers of a run that share a position in the queue: as many as one process runs at once. */
const WORKERS_TOGETHER = 16;

/**
 * The position of an agent's job in the queue: that of its run, plus one for every 16 workers
 * before it in the topology. A run of many nodes therefore does not delay the runs after it.
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
