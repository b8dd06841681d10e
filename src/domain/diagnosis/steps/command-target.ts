import type { TopologyNode } from '../../topology/topology.js';

/** A node, and what commands about it may contain. */
export interface CommandTarget {
  node: TopologyNode;
  isInKubernetes: boolean;
  /** By placeholder; what is not known is undefined. */
  values: Readonly<Record<string, string | undefined>>;
  /** Those of `values` with which an administrator signs in. */
  administrator: Readonly<Record<string, string | undefined>>;
}
