import type { TopologyNode } from '../topology/topology.js';
import type { FailureKind } from './failure-kind.js';
import type { MeasuredRanking } from './measured-ranking.js';

export type NodeLinks = Pick<TopologyNode, 'id' | 'dependsOn'>;
type Links = ReadonlyMap<string, readonly string[]>;

/** The effects of more requests, or of longer requests, on the node that serves them. */
const BY_LOAD: ReadonlySet<FailureKind> = new Set<FailureKind>([
  'load',
  'traffic-surge',
  'cpu-saturated',
  'cpu-throttled',
  'capacity',
  'memory',
  'out-of-memory',
  'connection-pool-exhausted',
  'slow-query',
  'lock',
  'latency',
  'timeout',
  'queue-lag',
  'cache',
  'retry-storm',
]);

/**
 * Whether a failure of the cause can show at another node: at one that depends on it, or at one of
 * its dependencies. It reaches its dependencies, and the other callees of its callers, only as
 * load: a database that refuses a wrong password is healthy.
 */
export function mayReach(
  nodes: readonly NodeLinks[],
  { node: id, kind }: Pick<MeasuredRanking['causes'][number], 'node' | 'kind'>,
  cause: string,
): boolean {
  if (id === cause) return false;
  const down = linksDown(nodes);
  const reach = reachOf(down, id);
  const below = reachOf(down, cause);
  if (reach.has(cause)) return true;
  if (!below.has(id) && [...below].some((each) => reach.has(each))) return true;
  if (!BY_LOAD.has(kind)) return false;
  if (below.has(id)) return true;
  const up = linksUp(nodes);
  const callers = reachOf(up, cause);
  return [...reachOf(up, id)].some((each) => callers.has(each));
}

/** From each node to what it depends on. */
export const linksDown = (nodes: readonly NodeLinks[]): Links =>
  new Map(nodes.map((node) => [node.id, node.dependsOn]));

/** From each node to those that depend on it. */
function linksUp(nodes: readonly NodeLinks[]): Links {
  const callers = new Map<string, string[]>();
  for (const { id, dependsOn } of nodes)
    for (const called of dependsOn) {
      const known = callers.get(called);
      if (known) known.push(id);
      else callers.set(called, [id]);
    }
  return callers;
}

/** A node and all that links lead to, directly or not. */
export function reachOf(links: Links, id: string): Set<string> {
  const reached = new Set([id]);
  for (const each of reached) for (const next of links.get(each) ?? []) reached.add(next);
  return reached;
}
