import type { Leaf, TreeOutcome, TickStatus, Tree, TreeMemory } from './tree.js';
import type { LeafFault, TickEnvironment } from './tick-environment.js';
import { Walk } from './walk.js';

const ROOT = '0';

export interface Tick {
  status: TickStatus;
  memory: TreeMemory;
  /** Leaves to run now, including those that already run. */
  leaves: Leaf[];
  /**
   * Paths of running leaves to abort. Abort them before starting `leaves`, which may contain the
   * same path again as a new start. Their outcomes must not be settled.
   */
  aborts: string[];
  /** When to tick again even if no leaf has ended, in ms since the epoch; null: not needed. */
  wakeAt: number | null;
  /** Conditions that threw and counted as false, for the log. */
  faults: LeafFault[];
}

const isOver = (status: string | undefined): status is TreeOutcome =>
  status === 'success' || status === 'failure';

/**
 * Ticks a tree once: walks from the root to what runs, evaluates conditions, and returns the leaves
 * to run. Pure: the memory is not changed and the time is an argument. To resume, load the memory
 * and tick again. The cost is proportional to the running path. If a leaf throws, the driver
 * settles it as `failure`.
 * @param around only a `test` function means a tree without time and blackboard
 */
export function tick(
  tree: Tree,
  before: TreeMemory,
  around: TickEnvironment | TickEnvironment['test'],
): Tick {
  const root = before.get(ROOT);
  if (isOver(root?.status))
    return {
      status: root.status,
      memory: before,
      leaves: [],
      aborts: [],
      wakeAt: null,
      faults: [],
    };

  const environment =
    typeof around === 'function' ? { now: 0, blackboard: {}, test: around } : around;
  const walk = new Walk(before, environment);
  const status = walk.visit(tree, ROOT, undefined);
  const { wakeAt, faults } = walk;
  const { entries, leaves, aborts } = walk.memory;
  const memory = status === 'running' ? entries : new Map([[ROOT, { status }]]);
  return { status, memory, leaves, aborts: [...aborts], wakeAt, faults };
}

/** The memory after a leaf has ended. Ignored if the leaf is not (or no longer) running. */
export function settle(memory: TreeMemory, path: string, status: TreeOutcome): TreeMemory {
  const known = memory.get(path);
  return known && known.status !== status ? new Map(memory).set(path, { status }) : memory;
}
