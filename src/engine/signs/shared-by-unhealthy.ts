import { groupBy } from '../../lib/group-by.js';
import { reachOf } from '../call-graph.js';
import type { ObservedNode } from '../observations.js';
import { sortOf } from '../siblings.js';
import type { Sign } from './sign.js';

/** Fewer unhealthy nodes may be unhealthy independently. */
const LEAST_UNHEALTHY = 2;
/** If they share more nodes, none of these stands out. */
const MOST_SHARED = 2;

/**
 * If some nodes that do the same work are unhealthy and others are healthy, a dependency of all the
 * former and none of the latter is suspect, whether anything was recorded of it or not.
 * @param since when each unhealthy node became so
 */
export function sharedByUnhealthy(
  nodes: readonly ObservedNode[],
  calls: ReadonlyMap<string, ReadonlySet<string>>,
  since: ReadonlyMap<string, number>,
  recorded: ReadonlySet<string | undefined>,
): Sign[] {
  const groups = groupBy(
    nodes.filter(({ id }) => recorded.has(id)),
    sortOf,
  );
  return [...groups.values()].flatMap((group): Sign[] => {
    const unhealthy = group.filter(({ id }) => since.has(id));
    const well = group.filter(({ id }) => !since.has(id));
    if (unhealthy.length < LEAST_UNHEALTHY || well.length === 0) return [];
    const [first, ...others] = unhealthy.map(({ id }) => reachOf(id, calls));
    const shared = [...(first ?? [])].filter(
      (id) =>
        others.every((reached) => reached.has(id)) &&
        !well.some((each) => each.id === id || reachOf(each.id, calls).has(id)) &&
        !unhealthy.some((each) => each.id === id),
    );
    if (shared.length > MOST_SHARED) return [];
    const at = Math.min(...unhealthy.map(({ id }) => since.get(id) ?? Infinity));
    const named = (list: readonly ObservedNode[]) => list.map(({ id }) => id).join(', ');
    return shared.map((node): Sign => ({
      node,
      at,
      from: 'caller',
      weight: 1.2,
      tells: 0,
      spreads: false,
      says: `${named(unhealthy)} depend on it and are unhealthy; ${named(well)} do not, and are healthy`,
    }));
  });
}
