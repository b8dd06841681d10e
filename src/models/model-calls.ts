import { modelFor, nextAttempt, type NextAttempt, type Tries } from '../domain/attempts.js';
import { BREAKER, CLOSED, onAbandoned, onCall, onFailure, type Breaker } from '../domain/breaker.js';
import { RETRY, type RetrySettings } from '../domain/retry-policy.js';
import { ModelError } from './model-error.js';
import type { Caller, Lease, ModelLimiter, WaitReason } from './model-limiter.js';
import type { ModelEntry } from './models.js';
import { streamTurn, type TurnPart, type TurnRequest } from './stream-turn.js';

/**
 * `go`: an attempt may begin. `wait`: it is worth asking again after that; the place in the queue is kept. `refused`: the
 * provider wants to be left alone for longer than there is time: as if it had been asked.
 */
export type Begun =
  | { kind: 'go'; attempt: Attempt }
  | { kind: 'wait'; ms: number; why: WaitReason; entry: ModelEntry }
  | { kind: 'refused'; entry: ModelEntry; error: ModelError };

/** Whose turn it is. */
export interface Turner extends Caller {
  /** ms since 1970: when waiting is of no use any more. */
  deadline: number;
  /** Ends waiting and the call. */
  signal: AbortSignal;
}

export interface ModelCallsOptions {
  now?: () => number;
  random?: () => number;
  retry?: RetrySettings;
  /** Told of those who may start now and do not wait in this process: whoever is parked is to be woken. */
  wake?: (callerIds: string[]) => void;
}

/** The one way to call models: through their limiter, their breakers, and what was decided after the last failure. */
export class ModelCalls {
  private readonly breakers = new Map<string, Breaker>();
  readonly now: () => number;
  private readonly random: () => number;
  private readonly retry: RetrySettings;
  /** May be set later: the queues that wake are made after this. */
  wake: (callerIds: string[]) => void;

  constructor(
    private readonly limiter: ModelLimiter,
    options: ModelCallsOptions = {},
  ) {
    this.now = options.now ?? Date.now;
    this.random = options.random ?? Math.random;
    this.retry = options.retry ?? RETRY;
    this.wake = options.wake ?? (() => undefined);
  }

  /**
   * Chooses a model and waits for room at it, at most so long as the patience lasts. Whoever gets `go` calls `stream` or
   * `close` of the attempt.
   * @param chain not empty: the model that was asked for, then those that take its place
   */
  async begin(chain: readonly ModelEntry[], tries: Tries, turner: Turner, patienceMs: number): Promise<Begun> {
    const name = modelFor(
      chain.map((entry) => entry.name),
      tries,
      this.breakerOf,
      this.now(),
    );
    const entry = chain.find((candidate) => candidate.name === name) as ModelEntry;
    // Built in, or of a program that starts the service: nobody's limits.
    if (entry.provider === undefined && entry.limits === undefined) return { kind: 'go', attempt: new Attempt(this, entry, undefined) };
    const entered = await this.limiter.enter(entry, turner, patienceMs, turner.signal);
    if (entered.kind === 'granted') return { kind: 'go', attempt: new Attempt(this, entry, entered.lease) };
    const { ms, why } = entered;
    if (why === 'busy' || this.now() + ms < turner.deadline) return { kind: 'wait', ms, why, entry };
    this.wake(await this.limiter.leave(entry, turner.id));
    return { kind: 'refused', entry, error: noTime(entry, ms) };
  }

  /** What follows an attempt that failed. */
  after(chain: readonly ModelEntry[], tries: Tries, failed: ModelEntry, error: ModelError, deadline: number): NextAttempt {
    return nextAttempt(
      chain.map((entry) => entry.name),
      tries,
      failed.name,
      error,
      { breakerOf: this.breakerOf, now: this.now(), deadline, settings: this.retry, jitter: this.random() },
    );
  }

  /** Gives up the place of one who does not want to wait any more. */
  async leave(chain: readonly ModelEntry[], callerId: string): Promise<void> {
    for (const entry of chain) if (entry.provider !== undefined || entry.limits) this.wake(await this.limiter.leave(entry, callerId));
  }

  private readonly breakerOf = (model: string): Breaker => this.breakers.get(model) ?? CLOSED;

  called({ name }: ModelEntry): void {
    this.breakers.set(name, onCall(this.breakerOf(name), this.now(), BREAKER));
  }

  answered({ name }: ModelEntry): void {
    this.breakers.delete(name);
  }

  abandoned({ name }: ModelEntry): void {
    this.breakers.set(name, onAbandoned(this.breakerOf(name), this.now()));
  }

  /** Takes notice of a failure: for this process in the breaker, for all processes where the provider wants to be left alone. */
  async failed(entry: ModelEntry, error: ModelError): Promise<void> {
    this.breakers.set(entry.name, onFailure(this.breakerOf(entry.name), error, this.now(), BREAKER));
    // Where Redis is away, there is worse to see to.
    if (error.retryAfterMs) await this.limiter.hold(entry, error.retryAfterMs).catch(() => undefined);
  }
}

/** One attempt at one model. It holds a lease of the limiter until it is over. */
export class Attempt {
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
    const { calls, entry, lease } = this;
    calls.called(entry);
    let told = false;
    try {
      yield* streamTurn(entry, request, lease ? AbortSignal.any([signal, lease.lost]) : signal);
      calls.answered(entry);
      told = true;
    } catch (error) {
      signal.throwIfAborted();
      if (lease?.lost.aborted) throw lostLease(entry);
      if (error instanceof ModelError) {
        told = true;
        await calls.failed(entry, error);
      }
      throw error;
    } finally {
      if (!told) calls.abandoned(entry);
      await this.close();
    }
  }

  /** Gives the lease back without a call. Where Redis is away, it runs out by itself. */
  async close(): Promise<void> {
    const next = await this.lease?.release().catch(() => []);
    if (next?.length) this.calls.wake(next);
  }
}

const lostLease = ({ name }: ModelEntry): ModelError =>
  new ModelError('AI_ERROR', `The call of "${name}" was given up: its place could not be kept.`, { retryable: true });

const noTime = ({ name }: ModelEntry, ms: number): ModelError =>
  new ModelError('RATE_LIMITED', `The provider of "${name}" takes no calls for ${Math.ceil(ms / 1_000)} s, longer than there is time.`, {
    retryable: true,
    retryAfterMs: ms,
  });
