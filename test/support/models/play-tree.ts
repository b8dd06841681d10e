import { settle, tick } from '../../../src/domain/behaviour-tree/tick.js';
import type {
  BoundItem,
  Leaf,
  TreeOutcome,
  Tree,
  TreeMemory,
} from '../../../src/domain/behaviour-tree/tree.js';

/** The world of a tree: how its actions end, and what the conditions return. */
export interface Script {
  /**
   * How an action ends and after how many ms, by the number of earlier starts. If it throws, the
   * action throws.
   */
  leaf?(
    name: string,
    nth: number,
    item: BoundItem | undefined,
  ): { outcome: TreeOutcome; ms?: number };
  /** By the number of earlier questions. */
  test?(name: string, nth: number, item: BoundItem | undefined): boolean;
  blackboard?: Record<string, unknown>;
  /** What an action changes on the blackboard when it ends. */
  effect?(name: string, blackboard: Record<string, unknown>): void;
  /** Whether the memory and the tree go through JSON after this tick. */
  reload?(tick: number): boolean;
}

export interface Played {
  status: TreeOutcome | 'endless' | 'stuck';
  /**
   * `0 +a` begun at 0 ms, `5 -a` aborted, `9 a success`; with `#1` for the second item of a list.
   */
  log: string[];
  /** The actions in `log` that were started, without times. */
  begun: string[];
  /** ms. */
  ended: number;
  /** The largest number of remembered nodes. */
  most: number;
}

const TICKS = 2_000;
const copy = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;
const reload = (memory: TreeMemory): TreeMemory =>
  new Map(Object.entries(copy(Object.fromEntries(memory))));

/**
 * Drives a tree to its end with a simulated clock: the next event is the end of an action, or what
 * the tree waits for.
 */
export function playTree(given: Tree, script: Script = {}): Played {
  const log: string[] = [];
  const begun: string[] = [];
  const starts = new Map<string, number>();
  const inFlight = new Map<string, { leaf: Leaf; outcome: TreeOutcome; at: number }>();
  const blackboard = script.blackboard ?? {};
  let tree = given;
  let memory: TreeMemory = new Map();
  let now = 0;
  let asked = 0;
  let most = 0;
  const called = ({ name, item }: Leaf) => (item ? `${name}#${item.index}` : name);

  const begin = (leaf: Leaf) => {
    const nth = starts.get(leaf.name) ?? 0;
    starts.set(leaf.name, nth + 1);
    log.push(`${now} +${called(leaf)}`);
    begun.push(called(leaf));
    let ends: { outcome: TreeOutcome; ms?: number };
    try {
      ends = script.leaf?.(leaf.name, nth, leaf.item) ?? { outcome: 'success' };
    } catch {
      ends = { outcome: 'failure' };
    }
    inFlight.set(leaf.path, { leaf, outcome: ends.outcome, at: now + (ends.ms ?? 0) });
  };

  for (let ticks = 0; ticks < TICKS; ticks++) {
    const ticked = tick(tree, memory, {
      now,
      blackboard,
      test: (name, item) => script.test?.(name, asked++, item) ?? true,
    });
    memory = ticked.memory;
    most = Math.max(most, memory.size);
    for (const path of ticked.aborts) {
      const aborted = inFlight.get(path);
      log.push(`${now} -${aborted ? called(aborted.leaf) : `nothing at ${path}`}`);
      inFlight.delete(path);
    }
    if (ticked.status !== 'running') return { status: ticked.status, log, begun, ended: now, most };
    for (const leaf of ticked.leaves) if (!inFlight.has(leaf.path)) begin(leaf);
    if (script.reload?.(ticks)) [memory, tree] = [reload(memory), copy(tree)];

    const next = Math.min(ticked.wakeAt ?? Infinity, ...[...inFlight.values()].map(({ at }) => at));
    if (next === Infinity) return { status: 'stuck', log, begun, ended: now, most };
    now = Math.max(now, next);
    for (const [path, { leaf, outcome, at }] of inFlight) {
      if (at > now) continue;
      inFlight.delete(path);
      script.effect?.(leaf.name, blackboard);
      memory = settle(memory, path, outcome);
      log.push(`${now} ${called(leaf)} ${outcome}`);
    }
  }
  return { status: 'endless', log, begun, ended: now, most };
}

/** Nodes of a tree. */
const action = (name: string): Tree => ({ type: 'action', name });
export const condition = (name: string): Tree => ({ type: 'condition', name });
export const sequence = (...children: Tree[]): Tree => ({ type: 'sequence', children });
export const selector = (...children: Tree[]): Tree => ({ type: 'selector', children });
export const [a, b, c] = [action('a'), action('b'), action('c')];

/** Leaves that fail, the duration of each, and conditions that are false. */
export const world = (fails: string, ms: Record<string, number> = {}): Script => ({
  leaf: (name) => ({ outcome: fails.includes(name) ? 'failure' : 'success', ms: ms[name] ?? 0 }),
  test: (name) => !fails.includes(name),
});
