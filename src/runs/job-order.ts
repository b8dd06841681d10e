import type { RunSpec } from '../domain/run.js';
import type { Topology } from '../domain/topology/topology.js';
import { LAST_ORDER } from '../queues/job-ids.js';

/** Workers of a run that share a number. */
const WORKERS_TOGETHER = 4;
/**
 * Numbers that a run takes at most. A run with more workers spreads them over the numbers of the
 * runs after it, which do not wait for all of them.
 */
const MOST_NUMBERS = 4;

const workersOf = ({ teams }: Topology) => teams.flatMap(({ workers }) => workers);

/** How many numbers a run takes from its own on: one for every four workers, four at most. */
export function numbersOf({ kind, topology }: Pick<RunSpec, 'kind' | 'topology'>): number {
  const workers = kind === 'chat' ? 0 : workersOf(topology).length;
  return Math.min(Math.max(1, Math.ceil(workers / WORKERS_TOGETHER)), MOST_NUMBERS);
}

/**
 * The place of an agent in the queues: the number of its run, and for every four workers that stand
 * before it in the topology one more. So the workers of a large run alternate with those of the
 * runs after it. Undefined: it goes first.
 */
export function jobOrder(
  { order = 0, topology }: Pick<RunSpec, 'order' | 'topology'>,
  agentId: string,
): number | undefined {
  const before = workersOf(topology).findIndex((worker) => worker.agentId === agentId);
  const own = order + Math.floor(Math.max(0, before) / WORKERS_TOGETHER);
  return own === 0 ? undefined : Math.min(own, LAST_ORDER);
}
