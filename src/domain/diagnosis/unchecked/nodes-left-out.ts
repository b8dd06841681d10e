import type { Topology } from '../../topology/topology.js';
import type { Current } from '../current-measurements.js';
import { isFailure, type Unchecked } from '../finding.js';
import type { Measurement } from '../measurement.js';
import { latestRanking } from '../ranked-causes.js';

/** Maximum of nodes that the service measures in place of agents. */
const MOST_NODES = 50;

interface RunKnowledge {
  /** All measurements of the run, its rankings included. */
  all: readonly Measurement[];
  current: Current;
  unchecked: readonly Unchecked[];
}

/**
 * The nodes that no agent measured, at most {@link MOST_NODES}. First the dependencies, direct or
 * not and nearest first, of unhealthy nodes and of nodes that the ranking suspects, because the
 * conclusion rests on them. Then all others, which may fail independently. The built-in planner
 * dispatches its workers to all of them.
 */
export function nodesLeftOut(
  { nodes }: Pick<Topology, 'nodes'>,
  { all, current, unchecked }: RunKnowledge,
): string[] {
  const open = new Set(
    unchecked.flatMap(({ node, reason }) => (reason === 'NOT_MEASURED' ? [node] : [])),
  );
  if (open.size === 0) return [];
  const unhealthy = current.measurements.filter(({ issues }) => issues.some(isFailure));
  const ranked = latestRanking(all)?.ranking?.causes ?? [];
  const wanted = new Set([...unhealthy, ...ranked].map(({ node }) => node));
  const dependencies = new Map(nodes.map(({ id, dependsOn }) => [id, dependsOn]));
  // The loop also visits the ids that it adds to the set.
  for (const id of wanted) dependencies.get(id)?.forEach((next) => wanted.add(next));
  return [...new Set([...wanted, ...open])].filter((id) => open.has(id)).slice(0, MOST_NODES);
}
