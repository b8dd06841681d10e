import type { Leaf, NodeMemory, TreeMemory } from './tree.js';

/** Entries of nodes without further state: entries are never changed. */
const RUNNING: NodeMemory = { status: 'running' };

const isWithin = (path: string, above: string): boolean =>
  path === above || path.startsWith(`${above}.`);

/** What nodes remember during one tick, and the leaves that the tick starts and aborts. */
export class WalkMemory {
  readonly aborts = new Set<string>();
  leaves: Leaf[] = [];
  readonly #entries = new Map<string, NodeMemory>();

  constructor(
    private readonly before: TreeMemory,
    now: number,
  ) {
    for (const [path, entry] of before) {
      const isCooldownOver = entry.status === 'fresh' && (entry.until ?? 0) <= now;
      if (!isCooldownOver) this.#entries.set(path, entry);
    }
  }

  get entries(): TreeMemory {
    return this.#entries;
  }

  get(path: string): NodeMemory | undefined {
    return this.#entries.get(path);
  }

  delete(path: string): void {
    this.#entries.delete(path);
  }

  keepRunning(path: string, entry?: Omit<NodeMemory, 'status'>): 'running' {
    this.#entries.set(path, entry ? { ...entry, status: 'running' } : RUNNING);
    return 'running';
  }

  start(leaf: Leaf): 'running' {
    this.leaves.push(leaf);
    return this.keepRunning(leaf.path, { leaf: true });
  }

  coolDown(path: string, until: number): void {
    this.#entries.set(path, { status: 'fresh', until });
  }

  /**
   * Removes a node and its descendants except cooldowns. Running leaves are aborted, leaves that
   * were about to start are not started.
   */
  reset(above: string): void {
    for (const [path, { status, leaf }] of this.#entries) {
      if (!isWithin(path, above) || status === 'fresh') continue;
      if (leaf && this.before.get(path)?.leaf) this.aborts.add(path);
      this.#entries.delete(path);
    }
    this.leaves = this.leaves.filter(({ path }) => !isWithin(path, above));
  }
}
