import {
  modelFor,
  nextAttempt,
  type NextAttempt,
  type Tries,
} from '../../domain/provider/attempts.js';
import { RETRY, type RetrySettings } from '../../domain/provider/retry-policy.js';
import type { TurnUsage } from './cost.js';
import { ModelError } from './model-error.js';
import type { Caller, Lease, Left, ModelLimiter, Outcome, WaitReason } from './model-limiter.js';
import type { ModelEntry } from '../models.js';
import { streamTurn } from './stream-turn.js';
import type { TurnPart, TurnRequest } from './turn-part.js';

/**
 * `go`: an attempt may begin. `wait`: it is worth asking again after that; the place in the queue is kept. `refused`: the
 * provider wants to be left alone for longer than there is time: as if it had been asked.
 */
export type Admission =
  | { kind: 'go'; attempt: Attempt }
  | { kind: 'wait'; ms: number; why: WaitReason; entry: ModelEntry }
  | { kind: 'refused'; entry: ModelEntry; error: ModelError };

/** Whose turn it is. */
export interface CallRequest extends Caller {
  /** ms since 1970: when waiting is of no use any more. */
  deadline: number;
  /** Ends waiting and the call. */
  signal: AbortSignal;
}

/** Wakes whoever is parked for a call. @returns those who are not there any more */
type Wake = (callerIds: string[]) => Promise<string[]>;

export interface ModelCallsOptions {
  now?: () => number;
  random?: () => number;
  retry?: RetrySettings;
  wake?: Wake;
}

/** Built in, or of a program that starts the service, without anybody to take its place: nothing of it is shared. */
const isShared = ({ provider, limits, fallback = [] }: ModelEntry): boolean =>
  provider !== undefined || limits !== undefined || fallback.length > 0;

/** The one way to call models: through their limiter and breaker, and what was decided after the last failure. */
export class ModelCalls {
  /** Until when breakers are open, as the limiter has last said. */
  private readonly open = new Map<string, number>();
  readonly now: () => number;
  private readonly random: () => number;
  private readonly retry: RetrySettings;
  private readonly wake: Wake;

  constructor(
    private readonly limiter: ModelLimiter,
    options: ModelCallsOptions = {},
  ) {
    this.now = options.now ?? Date.now;
    this.random = options.random ?? Math.random;
    this.retry = options.retry ?? RETRY;
    this.wake = options.wake ?? (() => Promise.resolve([]));
  }

  /**
   * Chooses a model and asks for room at it. Whoever gets `go` calls `stream` or `close` of the attempt; whoever gets `wait`
   * calls `parked` when it is to be woken.
   * @param chain not empty: the model that was asked for, then those that take its place
   */
  async begin(
    chain: readonly ModelEntry[],
    tries: Tries,
    request: CallRequest,
  ): Promise<Admission> {
    const names = chain.map((entry) => entry.name);
    for (;;) {
      request.signal.throwIfAborted();
      const name = modelFor(names, tries, this.openUntil, this.now());
      const entry = chain.find((candidate) => candidate.name === name) as ModelEntry;
      if (!isShared(entry)) return { kind: 'go', attempt: new Attempt(this, entry, undefined) };
      // It is chosen though its breaker is open: there is no other.
      const entered = await this.limiter.enter(entry, request, this.openUntil(name) > this.now());
      if (entered.kind === 'open') {
        this.noteBreaker(entry, entered.ms);
        continue;
      }
      if (request.signal.aborted)
        await this.withdraw(entry, request, entered.kind === 'granted' ? entered.lease : undefined);
      request.signal.throwIfAborted();
      if (entered.kind === 'granted')
        return { kind: 'go', attempt: new Attempt(this, entry, entered.lease) };
      const { ms, why } = entered;
      if (why === 'busy' || this.now() + ms < request.deadline)
        return { kind: 'wait', ms, why, entry };
      await this.withdraw(entry, request);
      return { kind: 'refused', entry, error: noTime(entry, ms) };
    }
  }

  /** What follows an attempt that failed. */
  after(
    chain: readonly ModelEntry[],
    tries: Tries,
    failed: ModelEntry,
    error: ModelError,
    deadline: number,
  ): NextAttempt {
    return nextAttempt(
      chain.map((entry) => entry.name),
      tries,
      failed.name,
      error,
      {
        openUntil: this.openUntil,
        now: this.now(),
        deadline,
        settings: this.retry,
        jitter: this.random(),
      },
    );
  }

  /** Somebody waits for room at a model, and can be woken from now on. There may have been some while it could not. */
  async parked(entry: ModelEntry): Promise<void> {
    await this.tryLeft(entry, this.limiter.look(entry));
  }

  private readonly openUntil = (model: string): number => this.open.get(model) ?? 0;

  private noteBreaker({ name }: ModelEntry, openMs: number): void {
    if (openMs > 0) this.open.set(name, this.now() + openMs);
    else this.open.delete(name);
  }

  private async withdraw(entry: ModelEntry, { id }: CallRequest, lease?: Lease): Promise<void> {
    await this.tryLeft(entry, lease ? lease.release() : this.limiter.leave(entry, id));
  }

  /** As `left`. Where Redis is away, places run out by themselves, and who is not woken looks again by itself. */
  private async tryLeft(entry: ModelEntry, left: Promise<Left>): Promise<void> {
    await left.then((known) => this.left(entry, known)).catch(() => undefined);
  }

  /** Takes notice of what somebody has left: of the breaker, and of those who may start now. */
  async left(entry: ModelEntry, { openMs, next }: Left): Promise<void> {
    this.noteBreaker(entry, openMs);
    if (next.length === 0) return;
    // Who was cancelled while it waited stands in nobody's way.
    for (const id of await this.wake(next))
      await this.left(entry, await this.limiter.leave(entry, id));
  }
}

/** One attempt at one model. It holds a lease of the limiter until it is over. */
export class Attempt {
  /** What its answer took, where that had begun and broke off. */
  taken: TurnUsage | undefined;

  constructor(
    private readonly calls: ModelCalls,
    readonly entry: ModelEntry,
    private readonly lease: Lease | undefined,
  ) {}

  /**
   * The answer. Gives the lease back at its end, whichever it is.
   * @throws ModelError, or the signal's reason
   */
  async *stream(request: TurnRequest, signal: AbortSignal): AsyncGenerator<TurnPart, void> {
    const { entry, lease } = this;
    let outcome: Outcome = 'abandoned';
    let holdMs = 0;
    try {
      yield* streamTurn(
        entry,
        request,
        lease ? AbortSignal.any([signal, lease.lost]) : signal,
        (taken) => (this.taken = taken),
      );
      outcome = 'ok';
    } catch (error) {
      signal.throwIfAborted();
      if (lease?.lost.aborted) throw lostLease(entry);
      if (error instanceof ModelError) {
        outcome = tellsOfHealth(error) ? 'failed' : 'refused';
        holdMs = error.retryAfterMs ?? 0;
      }
      throw error;
    } finally {
      await this.close(outcome, holdMs);
    }
  }

  /** Gives the lease back, as it stands without a call. Where Redis is away, it runs out by itself. */
  async close(outcome: Outcome = 'abandoned', holdMs = 0): Promise<void> {
    const left = await this.lease?.release(outcome, holdMs).catch(() => undefined);
    if (left) void this.calls.left(this.entry, left).catch(() => undefined);
  }
}

/** Not a rate limit, which has its own wait, nor what would fail at a healthy model too. */
const tellsOfHealth = ({ code, retryable }: ModelError): boolean =>
  retryable && code !== 'RATE_LIMITED';

const lostLease = ({ name }: ModelEntry): ModelError =>
  new ModelError('AI_ERROR', `The call of "${name}" was given up: its place could not be kept.`, {
    retryable: true,
  });

const noTime = ({ name }: ModelEntry, ms: number): ModelError =>
  new ModelError(
    'RATE_LIMITED',
    `The provider of "${name}" takes no calls for ${Math.ceil(ms / 1_000)} s, longer than there is time.`,
    {
      retryable: true,
      retryAfterMs: ms,
    },
  );
