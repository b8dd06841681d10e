import type { TopologyStore } from '../../../topologies/topology-store.js';
import { namedBy } from './lookup-rows.js';

const MOST_TOPOLOGIES = 50;

export interface TopologiesWanted {
  /**
   * Selects the topologies that this text names, or that have a node that it names, with the names
   * (`named`).
   */
  naming?: string | undefined;
  /** Also returns the topologies that this text does not name, without names. */
  others?: boolean | undefined;
  /**
   * Selects the topologies whose name, or the name of one of their nodes, is similar to this
   * misspelt one, with the names (`named`).
   */
  similar?: string | undefined;
}

export interface ListedTopology {
  id: number;
  name: string;
  description: string | null;
  nodes: number;
  named?: string[];
}

/** The first topologies of a tenant, and whether there are more. */
export async function listTopologies(
  store: TopologyStore,
  { naming, others = false, similar }: TopologiesWanted,
): Promise<{ topologies: ListedTopology[]; more: boolean }> {
  const { items, next } = await store.list(0, MOST_TOPOLOGIES);
  const isAll = naming === undefined && similar === undefined;
  const stored = isAll ? [] : await Promise.all(items.map(({ id }) => store.get(id)));
  const topologies = items.flatMap(({ id, name, description, nodeCount }, i): ListedTopology[] => {
    const row = { id, name, description: description ?? null, nodes: nodeCount };
    if (isAll) return [row];
    const topology = stored[i]?.topology;
    const named = topology === undefined ? [] : namedBy(topology, naming, similar);
    return named.length > 0 ? [{ ...row, named: [...new Set(named)] }] : others ? [row] : [];
  });
  return { topologies, more: next !== null };
}
