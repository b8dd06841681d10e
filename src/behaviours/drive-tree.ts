import { setImmediate as breathe } from 'node:timers/promises';
import { settle, tick } from '../domain/behaviour-tree/tick.js';
import type { BoundItem, Leaf, Outcome, Tree, TreeMemory } from '../domain/behaviour-tree/tree.js';
import type { LeafFault } from '../domain/behaviour-tree/walk.js';

/** What a tree is driven in. */
export interface TreeHost {
  tree: Tree;
  /** Read and written at every step; leaves may settle themselves in it, in the same append as what they have done. */
  memory: TreeMemory;
  blackboard: object;
  test(condition: string, item?: BoundItem): boolean;
  /**
   * `wait`: nothing to do until something happens elsewhere; it is called again then. A leaf that has nothing to wait for
   * answers at once, which costs far less than a promise.
   * @param abort its signal is aborted when the leaf is no longer wanted (a timeout, a guard, a parallel that is decided) and
   *   with `stop`; made only if it is read
   */
  carryOut(
    leaf: Leaf,
    abort: { readonly signal: AbortSignal },
  ): Outcome | 'wait' | Promise<Outcome | 'wait'>;
  /** A leaf threw: it has failed. Throws if the error does not concern the tree (a lost fence, a store that is away). */
  failed(leaf: Leaf, error: unknown): void;
  /** A condition or an option could not be read; the tree took it as false, or as absent. */
  noted(fault: LeafFault): void;
  /** Ends the drive where it is, to be resumed from the memory. The tree does not notice. */
  stop: AbortSignal;
  /** ms since the epoch, on a clock that all processes share. */
  now(): number;
}

/** `wakeAt`: ms since the epoch, when to drive again even if nothing happens. */
export type Driven = { status: Outcome } | { status: 'waiting'; wakeAt: number | null };

/** An abort controller that is made only if a leaf reads its signal: most leaves end at once. */
class Abort {
  aborted = false;
  private reason: unknown;
  private controller: AbortController | undefined;

  get signal(): AbortSignal {
    this.controller ??= new AbortController();
    if (this.aborted) this.controller.abort(this.reason);
    return this.controller.signal;
  }

  abort(reason?: unknown): void {
    this.aborted = true;
    this.reason = reason;
    this.controller?.abort(reason);
  }
}

interface Running {
  abort: Abort;
  ended: Promise<void>;
}

/** ms: the longest that a timer can be set for. */
const LONGEST = 2 ** 31 - 1;

/**
 * Ticks a tree and carries out its leaves until it has ended, or until all leaves that are left wait. A leaf that is aborted
 * is waited for before anything else begins, so that two never work in one place.
 * @throws the reason of `stop`, and what `failed` throws
 */
export function driveTree(host: TreeHost): Promise<Driven> {
  return new Drive(host).run();
}

class Drive {
  private readonly running = new Map<string, Running>();
  private failure: { error: unknown } | null = null;
  /** A leaf has ended since the last tick. */
  private settled = false;
  /** Ends the sleep of now. */
  private wake = (): void => undefined;

  constructor(private readonly host: TreeHost) {}

  async run(): Promise<Driven> {
    const { stop } = this.host;
    const end = () => {
      for (const { abort } of this.running.values()) abort.abort(stop.reason);
      this.wake();
    };
    stop.addEventListener('abort', end);
    try {
      return await this.ticks();
    } finally {
      stop.removeEventListener('abort', end);
      for (const { abort } of this.running.values()) abort.abort();
    }
  }

  private async ticks(): Promise<Driven> {
    const { host } = this;
    for (;;) {
      host.stop.throwIfAborted();
      this.settled = false;
      const { tree, blackboard } = host;
      const test = (name: string, item?: BoundItem) => host.test(name, item);
      const { status, memory, leaves, aborts, wakeAt, faults } = tick(tree, host.memory, {
        now: host.now(),
        blackboard,
        test,
      });
      host.memory = memory;
      for (const fault of faults) host.noted(fault);
      await this.abort(aborts);
      if (status !== 'running') return { status };
      for (const leaf of leaves) if (!this.running.has(leaf.path)) this.begin(leaf);
      if ((await this.rest(wakeAt)) === 'waiting') return { status: 'waiting', wakeAt };
    }
  }

  private begin(leaf: Leaf): void {
    const abort = new Abort();
    const { stop } = this.host;
    if (stop.aborted) abort.abort(stop.reason);
    const outcome = this.start(leaf, abort);
    if (typeof outcome === 'string') return this.settle(leaf, outcome);
    const ended = outcome
      .catch((error: unknown) => this.failed(leaf, abort, error))
      .then((settled) => {
        this.running.delete(leaf.path);
        if (!abort.aborted) this.settle(leaf, settled);
        this.wake();
      });
    this.running.set(leaf.path, { abort, ended });
  }

  private start(leaf: Leaf, abort: Abort): Outcome | 'wait' | Promise<Outcome | 'wait'> {
    try {
      return this.host.carryOut(leaf, abort);
    } catch (error) {
      return this.failed(leaf, abort, error);
    }
  }

  private settle({ path }: Leaf, outcome: Outcome | 'wait'): void {
    if (outcome === 'wait') return;
    this.host.memory = settle(this.host.memory, path, outcome);
    this.settled = true;
  }

  /** What a leaf that threw has come to. Never throws. */
  private failed(leaf: Leaf, abort: Abort, error: unknown): Outcome | 'wait' {
    if (abort.aborted) return 'failure';
    try {
      this.host.failed(leaf, error);
      return 'failure';
    } catch (thrown) {
      this.failure ??= { error: thrown };
      return 'wait';
    }
  }

  private async abort(paths: readonly string[]): Promise<void> {
    const aborted = paths.flatMap((path) => this.running.get(path) ?? []);
    for (const { abort } of aborted) abort.abort();
    await this.endOf(aborted);
  }

  /** Until there is something to tick for; `waiting` when nothing here will be. */
  private async rest(wakeAt: number | null): Promise<'tick' | 'waiting'> {
    const { stop } = this.host;
    for (;;) {
      stop.throwIfAborted();
      if (this.failure) throw this.failure.error;
      const due = wakeAt !== null && wakeAt <= this.host.now();
      if (due) await breathe();
      if (this.settled || due) break;
      if (this.running.size === 0) return 'waiting';
      await this.sleep(wakeAt);
    }
    // Leaves that have settled themselves are about to end: what comes after them must not begin before.
    await this.endOf(
      [...this.running].flatMap(([path, leaf]) =>
        this.host.memory[path]?.status === 'running' ? [] : [leaf],
      ),
    );
    return 'tick';
  }

  private sleep(until: number | null): Promise<void> {
    return new Promise((resolve) => {
      const timer =
        until === null
          ? undefined
          : setTimeout(resolve, Math.min(LONGEST, Math.max(1, until - this.host.now())));
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Waits for leaves to end. A leaf that ignores its signal must not outlast the stop. */
  private async endOf(leaves: readonly Running[]): Promise<void> {
    if (leaves.length === 0) return;
    const { stop } = this.host;
    stop.throwIfAborted();
    let stopped = (): void => undefined;
    const stopping = new Promise<void>((resolve) => (stopped = resolve));
    stop.addEventListener('abort', stopped);
    await Promise.race([Promise.all(leaves.map(({ ended }) => ended)), stopping]);
    stop.removeEventListener('abort', stopped);
    stop.throwIfAborted();
  }
}
