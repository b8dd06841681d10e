import type { TopologyNode } from '../../topology/topology.js';

/** A node, and the values that commands about it may contain. */
export interface CommandTarget {
  node: TopologyNode;
  isInKubernetes: boolean;
  /** By placeholder; unknown values are undefined. */
  values: Readonly<Record<string, string | undefined>>;
  /** The names of the `values` with which an administrator signs in. */
  administrator: Readonly<Record<string, string | undefined>>;
}
