import { setImmediate as breathe } from 'node:timers/promises';
import { abortable } from '../lib/async.js';
import { settle, tick } from '../domain/behaviour-tree/tick.js';
import type {
  BoundItem,
  Leaf,
  TreeOutcome,
  Tree,
  TreeMemory,
} from '../domain/behaviour-tree/tree.js';
import type { LeafFault } from '../domain/behaviour-tree/tick-environment.js';

/** The environment of a running tree. */
export interface TreeHost {
  tree: Tree;
  /**
   * Read and written at every step. A leaf may record its own outcome here, in the same append as
   * its effects.
   */
  memory: TreeMemory;
  blackboard: object;
  test(condition: string, item?: BoundItem): boolean;
  /**
   * Runs a leaf. Returns `wait` if there is nothing to do until something happens elsewhere; it is
   * called again then. A leaf that does not wait returns a value instead of a promise, which is
   * much cheaper.
   * @param abort its signal is aborted if the leaf is no longer needed (a timeout, a guard, a
   *   decided parallel) and with `stop`; created when it is read
   */
  carryOut(
    leaf: Leaf,
    abort: { readonly signal: AbortSignal },
  ): TreeOutcome | 'wait' | Promise<TreeOutcome | 'wait'>;
  /**
   * Called when a leaf threw: it counts as failed. Throws if the error does not concern the tree (a
   * lost claim, an unavailable store).
   */
  failed(leaf: Leaf, error: unknown): void;
  /**
   * Called when a condition or an option could not be evaluated; it counts as false, or as absent.
   */
  noted(fault: LeafFault): void;
  /** Stops the tree where it is, to be resumed from the memory. The tree does not change. */
  stop: AbortSignal;
  /** ms since the epoch, on a clock that all processes share. */
  now(): number;
}

/** `wakeAt`: when to call again at the latest, in ms since the epoch. */
export type DriveResult = { status: TreeOutcome } | { status: 'waiting'; wakeAt: number | null };

/** An abort controller that is created when its signal is read; most leaves end at once. */
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

interface LeafTask {
  abort: Abort;
  ended: Promise<void>;
}

/** Longest delay of a timer, in ms. */
const LONGEST = 2 ** 31 - 1;

/**
 * Ticks a tree and runs its leaves until the tree has ended or all remaining leaves wait. An
 * aborted leaf is awaited before anything else starts, so that two never run in one place.
 * @throws the reason of `stop`, and errors that `failed` throws
 */
export function driveTree(host: TreeHost): Promise<DriveResult> {
  return new Drive(host).run();
}

class Drive {
  private readonly running = new Map<string, LeafTask>();
  private failure: { error: unknown } | null = null;
  /** Whether a leaf has ended since the last tick. */
  private settled = false;
  /** Ends the current sleep. */
  private wake = (): void => undefined;

  constructor(private readonly host: TreeHost) {}

  async run(): Promise<DriveResult> {
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

  private async ticks(): Promise<DriveResult> {
    const { host } = this;
    const around = {
      now: 0,
      get blackboard() {
        return host.blackboard;
      },
      test: (name: string, item?: BoundItem) => host.test(name, item),
    };
    for (;;) {
      host.stop.throwIfAborted();
      this.settled = false;
      around.now = host.now();
      const { status, memory, leaves, aborts, wakeAt, faults } = tick(
        host.tree,
        host.memory,
        around,
      );
      host.memory = memory;
      for (const fault of faults) host.noted(fault);
      if (aborts.length > 0) await this.abort(aborts);
      if (status !== 'running') return { status };
      for (const leaf of leaves) if (!this.running.has(leaf.path)) this.begin(leaf);
      if (this.isDone(wakeAt)) continue;
      if ((await this.rest(wakeAt)) === 'waiting') return { status: 'waiting', wakeAt };
    }
  }

  /**
   * Whether all leaves have ended immediately, so that there is nothing to wait for. Most do, and
   * promises are expensive.
   */
  private isDone(wakeAt: number | null): boolean {
    return this.settled && this.running.size === 0 && this.failure === null && wakeAt === null;
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

  private start(leaf: Leaf, abort: Abort): TreeOutcome | 'wait' | Promise<TreeOutcome | 'wait'> {
    try {
      return this.host.carryOut(leaf, abort);
    } catch (error) {
      return this.failed(leaf, abort, error);
    }
  }

  private settle({ path }: Leaf, outcome: TreeOutcome | 'wait'): void {
    if (outcome === 'wait') return;
    this.host.memory = settle(this.host.memory, path, outcome);
    this.settled = true;
  }

  /** The outcome of a leaf that threw. Never throws. */
  private failed(leaf: Leaf, abort: Abort, error: unknown): TreeOutcome | 'wait' {
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

  /**
   * Waits until the next tick is due. Returns `waiting` if nothing in this process will cause one.
   */
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
    // Leaves that recorded their outcome are about to end. Nothing may start before they have.
    await this.endOf(
      [...this.running].flatMap(([path, leaf]) =>
        this.host.memory.get(path)?.status === 'running' ? [] : [leaf],
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

  /** Waits for leaves to end, at most until the stop: a leaf may ignore its signal. */
  private async endOf(leaves: readonly LeafTask[]): Promise<void> {
    if (leaves.length === 0) return;
    const { stop } = this.host;
    stop.throwIfAborted();
    await abortable(Promise.all(leaves.map(({ ended }) => ended)), stop);
    stop.throwIfAborted();
  }
}
