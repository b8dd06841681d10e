/**
 * A behaviour tree as data: what an agent does, readable and pinned with its run. Composites and decorators are the
 * engine's (`tick.ts`); leaves are named here and carried out by whoever drives the tree.
 */
export type Tree =
  /** Succeeds when all children have, one after the other; fails with the first that fails. Resumes at its running child. */
  | { type: 'sequence'; children: Tree[] }
  /** Succeeds with the first child that succeeds; fails when all have failed. */
  | { type: 'selector'; children: Tree[] }
  /** Runs its children at once. `all`: fails with the first failure; `one`: succeeds with the first success; `continue`: waits for all, succeeds always. */
  | { type: 'parallel'; policy: 'all' | 'one' | 'continue'; children: Tree[] }
  /** Runs its child again and again until it has the wanted outcome, at most `max` times (then it fails). */
  | { type: 'repeater'; until: 'success' | 'failure'; max: number; child: Tree }
  /** Does something: `name` is looked up among the leaves. */
  | { type: 'action'; name: string }
  /** Asks something of the blackboard, at once. */
  | { type: 'condition'; name: string }
  /** One turn of the model. */
  | { type: 'llm-call' };

/** Status of each node that has been started, by its path (`0.1.2`: child numbers from the root). Plain JSON, part of the checkpoint. */
export type TreeMemory = Record<string, { status: 'running' | 'success' | 'failure'; count?: number }>;

export type TickStatus = 'running' | 'success' | 'failure';

/** A leaf that must be carried out: `settle` says how it went. */
export interface Leaf {
  path: string;
  type: 'action' | 'llm-call';
  name: string;
}
