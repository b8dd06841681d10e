import type { BoundItem } from './tree.js';

/** The input of a tick besides the tree and its memory. */
export interface TickEnvironment {
  /** The caller's clock, in ms since the epoch. */
  now: number;
  /** A plain object; only its own keys are read. */
  blackboard: object;
  test(condition: string, item?: BoundItem): boolean;
}

/** A fault of a leaf, which counted as a failure or as an absent option. */
export interface LeafFault {
  path: string;
  name: string;
  error: unknown;
}

/** The value of a blackboard's own key. */
export const readKey = ({ blackboard }: TickEnvironment, key: string): unknown =>
  Object.hasOwn(blackboard, key) ? (blackboard as Record<string, unknown>)[key] : undefined;
