import type { Json, JsonObject } from '../../lib/json.js';

/** A reference to a blackboard value, `(blackboard :key)`, resolved when the leaf starts. */
export interface Reference {
  blackboard: string;
}

/**
 * Options of a model call, for the code that runs the leaf. The engine only resolves references.
 */
export interface ModelOptions {
  /** Name of a model, instead of the agent's model. */
  model?: string | Reference;
  messages?: Reference;
  /** Names of the offered tools, instead of all tools of the role. */
  tools?: string[] | Reference;
  /** Blackboard keys that receive the text of the answer. */
  streamTo?: string[];
  /** Maximum tokens of the answer. */
  budget?: number | Reference;
  /** Whether an abort interrupts the call; otherwise the call is awaited. */
  interruptible?: boolean;
  /** Maximum ms of one attempt. A call that is repeated after a crash gets the full time again. */
  timeoutMs?: number;
}

/**
 * When a parallel is decided. `all`: after the first failure, or when all succeeded. `one`: after
 * the first success, or when all failed. `n`: when `n` succeeded, or no longer can. `continue`:
 * when all have ended, always with success. Children that still run are aborted.
 */
export type Policy = { policy: 'all' | 'one' | 'continue' } | { policy: 'n'; n: number };

/**
 * A behaviour tree as data: the program of an agent, stored with its run. The engine (`tick.ts`)
 * evaluates composites and decorators; the driver of the tree runs the leaves. Plain JSON.
 */
export type Tree =
  /**
   * Runs its children in order until one fails. Succeeds if all have succeeded. Resumes at the
   * running child.
   */
  | { type: 'sequence'; children: Tree[] }
  /** Runs its children in order until one succeeds. Fails if all have failed. */
  | { type: 'selector'; children: Tree[] }
  /** Runs its children at once. */
  | ({ type: 'parallel'; children: Tree[] } & Policy)
  /**
   * Runs its child for each entry of a blackboard list, read at the start: in order, or at once
   * with a policy. An empty list succeeds; a value that is not a list fails.
   */
  | { type: 'for-each'; list: string; atOnce?: Policy; child: Tree }
  /**
   * Repeats its child until it has the given outcome, at most `max` times (then it fails). `count`:
   * exactly `max` times, then it succeeds.
   */
  | { type: 'repeater'; until: 'success' | 'failure' | 'count'; max: number; child: Tree }
  /** Repeats its child after a failure, up to this number of attempts. */
  | { type: 'retry'; times: number; child: Tree }
  /** Fails and aborts its child after this number of ms. */
  | { type: 'timeout'; ms: number; child: Tree }
  /** Fails without running its child for this number of ms after the child has ended. */
  | { type: 'cooldown'; ms: number; child: Tree }
  /**
   * Evaluates its condition before and while its child runs. If it is false, fails and aborts the
   * child.
   */
  | { type: 'guard'; condition: string; child: Tree }
  /** A guard with {@link BUDGET_CONDITION}. */
  | { type: 'budget-check'; child: Tree }
  | { type: 'inverter'; child: Tree }
  /** Has a fixed outcome after its child has ended, or at once without a child. */
  | { type: 'always-succeed' | 'always-fail'; child?: Tree }
  /** A named part. The name is for readers. */
  | { type: 'subtree'; name: string; child: Tree }
  /**
   * Only at the root: runs `last` after the child has ended with any outcome. Fails if either
   * fails.
   */
  | { type: 'finally'; child: Tree; last: Tree }
  /** Runs the action `fn`, or `name` if there is no `fn`. */
  | { type: 'action'; name: string; fn?: string }
  /** Evaluates a condition on the blackboard. */
  | { type: 'condition'; name: string }
  /** One turn of the model. */
  | { type: 'llm-call'; options?: ModelOptions };

/** Condition of a `budget-check`. */
export const BUDGET_CONDITION = 'within-budget?';

export type TreeOutcome = 'success' | 'failure';
export type TickStatus = 'running' | TreeOutcome;

/** State of a running node, or of a leaf that was settled since the last tick. */
export interface NodeMemory {
  /** `fresh`: not running, only stored for its cooldown. */
  status: 'fresh' | TickStatus;
  /** A running leaf. */
  leaf?: true;
  /** sequence, selector, for-each: index of the running child. */
  at?: number;
  /** repeater, retry: how often the child has ended. */
  count?: number;
  /** for-each: the list, read at the start. */
  items?: Json[];
  /** parallel, for-each: outcomes of the children; null for those that run. */
  ended?: (TreeOutcome | null)[];
  /** timeout: start, in ms since the epoch. */
  since?: number;
  /** cooldown: end, in ms since the epoch. */
  until?: number;
  /** finally: outcome of the child. */
  body?: TreeOutcome;
}

/**
 * Memory of a tree, by path of the node (`0.1.2`: child indexes from the root). Only running nodes
 * have an entry. An empty one is a tree that has not started. A `Map`, because it is copied at each
 * step, and objects with such keys are slow.
 */
export type TreeMemory = ReadonlyMap<string, NodeMemory>;

/** The same as plain JSON, part of the checkpoint. */
export type SavedMemory = Record<string, NodeMemory>;

/** The list entry that a leaf runs for. */
export interface BoundItem {
  value: Json;
  index: number;
}

/** A leaf to run; `settle` records its outcome. */
export interface Leaf {
  path: string;
  type: 'action' | 'llm-call';
  name: string;
  /** Inside a for-each: the entry of the innermost one. */
  item?: BoundItem;
  /** Options of an llm-call, by the names of {@link ModelOptions}, with resolved references. */
  options?: JsonObject;
}
