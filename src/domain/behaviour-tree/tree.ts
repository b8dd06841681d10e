import type { Json, JsonObject } from '../../lib/json.js';

/** A value of the blackboard, looked up when the leaf is named: `(blackboard :key)`. */
export interface Reference {
  blackboard: string;
}

/** How a model is called. For the code that carries the leaf out; the engine only looks references up. */
export interface ModelOptions {
  /** Name of a model, instead of the agent's own. */
  model?: string | Reference;
  messages?: Reference;
  /** Names of the tools that are offered, instead of all of the role's. */
  tools?: string[] | Reference;
  /** Keys of the blackboard that the answer's text goes to. */
  streamTo?: string[];
  /** Tokens that the answer may have. */
  budget?: number | Reference;
  /** Whether an abort cuts the call off; otherwise it is waited for. */
  interruptible?: boolean;
  /** ms that one attempt may take. Not the engine's: a call that is made again after a crash starts anew. */
  timeoutMs?: number;
}

/**
 * When children that run at once are decided. `all`: with the first failure, or when all have succeeded; `one`: with the
 * first success, or when all have failed; `n`: when `n` have succeeded, or no longer can; `continue`: when all have ended,
 * and then always success. What still runs then is aborted.
 */
export type Policy = { policy: 'all' | 'one' | 'continue' } | { policy: 'n'; n: number };

/**
 * A behaviour tree as data: what an agent does, readable and pinned with its run. Composites and decorators are the
 * engine's (`tick.ts`); leaves are named here and carried out by the driver of the tree. Plain JSON.
 */
export type Tree =
  /** Succeeds when all children have, one after the other; fails with the first that fails. Resumes at its running child. */
  | { type: 'sequence'; children: Tree[] }
  /** Succeeds with the first child that succeeds; fails when all have failed. */
  | { type: 'selector'; children: Tree[] }
  /** Runs its children at once. */
  | ({ type: 'parallel'; children: Tree[] } & Policy)
  /** Runs its child for each entry of a list on the blackboard, as it was at the start: in a sequence, or at once by a policy. An empty list is success, what is no list a failure. */
  | { type: 'for-each'; list: string; atOnce?: Policy; child: Tree }
  /** Runs its child again and again until it has the wanted outcome, at most `max` times (then it fails); `count`: exactly `max` times, then it succeeds. */
  | { type: 'repeater'; until: 'success' | 'failure' | 'count'; max: number; child: Tree }
  /** Runs its child again when it fails, until it was tried so many times. */
  | { type: 'retry'; times: number; child: Tree }
  /** Fails, and aborts its child, when that has not ended after so many ms. */
  | { type: 'timeout'; ms: number; child: Tree }
  /** After its child has ended, fails for so many ms without trying it again. */
  | { type: 'cooldown'; ms: number; child: Tree }
  /** Asks before and all the time while its child runs; when it is false, it fails, and aborts its child. */
  | { type: 'guard'; condition: string; child: Tree }
  /** A guard that asks {@link BUDGET_CONDITION}. */
  | { type: 'budget-check'; child: Tree }
  | { type: 'inverter'; child: Tree }
  /** Has the outcome of its name once its child has ended; at once where it has no child. */
  | { type: 'always-succeed' | 'always-fail'; child?: Tree }
  /** A part with a name; the name is for people. */
  | { type: 'subtree'; name: string; child: Tree }
  /** Only at the root: `last` runs when the child has ended, whatever its outcome. Fails if either fails. */
  | { type: 'finally'; child: Tree; last: Tree }
  /** Does something: `fn`, or else `name`, is looked up among the leaves. */
  | { type: 'action'; name: string; fn?: string }
  /** Asks something of the blackboard, at once. */
  | { type: 'condition'; name: string }
  /** One turn of the model. */
  | { type: 'llm-call'; options?: ModelOptions };

/** What a `budget-check` asks. */
export const BUDGET_CONDITION = 'within-budget?';

export type Outcome = 'success' | 'failure';
export type TickStatus = 'running' | Outcome;

/** What the engine must know of a node that runs, or of a leaf that was settled and not yet looked at. */
export interface NodeMemory {
  /** `fresh`: it does not run, and is remembered only for its cooldown. */
  status: 'fresh' | TickStatus;
  /** A leaf that is being carried out. */
  leaf?: true;
  /** sequence, selector, for-each: the child that runs. */
  at?: number;
  /** repeater, retry: how often the child has ended. */
  count?: number;
  /** for-each: the list as it was at the start. */
  items?: Json[];
  /** parallel, for-each: how the children ended; null where one has not. */
  ended?: (Outcome | null)[];
  /** timeout: when it began. ms since the epoch. */
  since?: number;
  /** cooldown: when it is over. ms since the epoch. */
  until?: number;
  /** finally: how the child ended. */
  body?: Outcome;
}

/**
 * By the path of the node (`0.1.2`: child numbers from the root), only for nodes that run: as much as the running path is
 * long. Plain JSON, part of the checkpoint. `{}` is a tree that has not begun.
 */
export type TreeMemory = Record<string, NodeMemory>;

/** The entry of a list that a leaf is carried out for. */
export interface BoundItem {
  value: Json;
  index: number;
}

/** A leaf that must be carried out: `settle` says how it went. */
export interface Leaf {
  path: string;
  type: 'action' | 'llm-call';
  name: string;
  /** Inside a for-each: the entry of the innermost. */
  item?: BoundItem;
  /** Of an llm-call, by the names of {@link ModelOptions}, references looked up. */
  options?: JsonObject;
}
