import type { Leaf, Outcome, TickStatus, Tree, TreeMemory } from './tree.js';
import { Walk, type LeafFault, type Surroundings } from './walk.js';

const ROOT = '0';

export interface Tick {
  status: TickStatus;
  memory: TreeMemory;
  /** Leaves that are to be carried out now; those that were running before are named again. */
  leaves: Leaf[];
  /**
   * Paths of leaves that were running and are no longer wanted: to be aborted before `leaves` is looked at, where the same
   * path may stand again, as a new beginning. How they end must not be settled.
   */
  aborts: string[];
  /** ms since the epoch: when to tick even if no leaf has ended; null: no need. */
  wakeAt: number | null;
  /** Conditions that threw, and were taken as false; for the log. */
  faults: LeafFault[];
}

const isOver = (status: string | undefined): status is Outcome =>
  status === 'success' || status === 'failure';

/**
 * One tick: walks from the root to what runs, asks conditions, and names the leaves that are to be carried out. Pure: the
 * memory given is not changed, time is given. To resume is to load the memory and tick again. Costs as much as the running
 * path is long. An exception of a leaf is a failure: the driver of the tree catches it and settles `failure`.
 * @param around a function alone is a `test` in a world without time and blackboard
 */
export function tick(
  tree: Tree,
  before: TreeMemory,
  around: Surroundings | Surroundings['test'],
): Tick {
  const root = before[ROOT];
  if (isOver(root?.status))
    return {
      status: root.status,
      memory: before,
      leaves: [],
      aborts: [],
      wakeAt: null,
      faults: [],
    };

  const surroundings =
    typeof around === 'function' ? { now: 0, blackboard: {}, test: around } : around;
  const walk = new Walk(before, surroundings);
  const status = walk.visit(tree, ROOT, undefined);
  const { leaves, aborts, wakeAt, faults } = walk;
  const memory = status === 'running' ? walk.memory : { [ROOT]: { status } };
  return { status, memory, leaves, aborts: [...aborts], wakeAt, faults };
}

/** The memory after a leaf was carried out. The outcome of a leaf that is not (or no longer) named changes nothing. */
export function settle(memory: TreeMemory, path: string, status: Outcome): TreeMemory {
  const known = memory[path];
  return known && known.status !== status ? { ...memory, [path]: { status } } : memory;
}
