import type { BehaviourFaults } from './behaviour-faults.js';
import type { Tree } from './tree.js';

/** The text of a tree and its file. */
export interface TreeText {
  file: string;
  text: string;
}

/** Names that a tree may use. */
export interface KnownNames {
  actions: readonly string[];
  conditions: readonly string[];
  /**
   * Blackboard keys that a tree may read in addition to those of its own schema; undefined: any.
   */
  blackboard?: readonly string[];
  /** Returns the tree of `(subtree NAME)`. */
  tree?(name: string): TreeText | undefined;
}

/** State of the compilation of one behaviour, shared by all its files. */
export interface Compilation {
  known: KnownNames;
  faults: BehaviourFaults;
  nodes: number;
  /**
   * Compiles the tree of another file.
   * @param open the subtrees that are being compiled, outermost first
   */
  include(text: TreeText, open: readonly string[], depth: number): Tree | null;
}

export const TREE_BOUNDS = {
  nodes: 5_000,
  depth: 100,
  iterations: 1_000_000,
  times: 1_000,
  ms: 86_400_000,
} as const;
