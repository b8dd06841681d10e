import {
  modelFor,
  nextAttempt,
  type NextAttempt,
  type Tries,
} from '../../domain/provider/attempts.js';
import { RETRY, type RetrySettings } from '../../domain/provider/retry-policy.js';
import type { TurnUsage } from './cost.js';
import { LONG_PAUSE_MS } from './classify-error.js';
import { ModelError } from './model-error.js';
import { nativeCallers } from './native-callers.js';
import type { ModelLimiter } from './model-limiter.js';
import type { Caller, Lease, ReleaseResult, LeaseOutcome, WaitReason } from './limiter-types.js';
import type { ModelEntry } from '../models.js';
import { utcTime } from '../../lib/utc-time.js';
import { streamTurn } from './stream-turn.js';
import type { TurnPart, TurnRequest } from './turn-part.js';

/**
 * `go`: an attempt may begin. `wait`: ask again after `ms`; the queue keeps the place of the
 * caller. `refused`: the provider asked for a pause that ends after the deadline; handled like a
 * failed call.
 */
export type CallAdmission =
  | { kind: 'go'; attempt: Attempt }
  | { kind: 'wait'; ms: number; why: WaitReason; entry: ModelEntry }
  | { kind: 'refused'; entry: ModelEntry; error: ModelError };

/** The caller of a model call, with its deadline and abort signal. */
export interface CallRequest extends Caller {
  /** ms since 1970: no wait may end after this. */
  deadline: number;
  /** Ends the wait and the call. */
  signal: AbortSignal;
}

/** Wakes callers that are parked for a call. @returns the ids of callers that no longer exist */
type Wake = (callerIds: string[]) => Promise<string[]>;

export interface ModelCallsOptions {
  now?: () => number;
  random?: () => number;
  retry?: RetrySettings;
  wake?: Wake;
}

/**
 * False for a built-in or program-supplied model without limits and fallbacks: it needs no limiter.
 */
const isShared = ({ provider, limits, fallback = [] }: ModelEntry): boolean =>
  provider !== undefined || limits !== undefined || fallback.length > 0;

/** Calls models. Applies the limiter, the breaker and the retry policy to each call. */
export class ModelCalls {
  /**
   * The time at which each open breaker closes, from the latest answer of the limiter. ms since
   * 1970.
   */
  private readonly open = new Map<string, number>();
  /** The time until which each provider asked for a pause. ms since 1970. */
  private readonly held = new Map<string, number>();
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
   * Chooses a model and asks its limiter for a lease. After `go`, the caller must call `stream` or
   * `close` of the attempt. After `wait`, the caller calls `parked` if it wants to be woken.
   * @param chain not empty: the requested model, then its fallbacks
   */
  async begin(
    chain: readonly ModelEntry[],
    tries: Tries,
    request: CallRequest,
  ): Promise<CallAdmission> {
    const names = chain.map((entry) => entry.name);
    for (;;) {
      request.signal.throwIfAborted();
      const name = modelFor(names, tries, this.openUntil, this.now());
      const entry = chain.find((candidate) => candidate.name === name) as ModelEntry;
      if (!isShared(entry)) return { kind: 'go', attempt: new Attempt(this, entry, undefined) };
      // `modelFor` chose a model whose breaker is open because every other breaker is open too.
      const entered = await this.limiter.acquire(entry, request, this.openUntil(name) > this.now());
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
      if (why === 'hold' && this.hasOther(names, tries, name)) {
        this.held.set(name, this.now() + ms);
        await this.withdraw(entry, request);
        continue;
      }
      if (why === 'busy' || this.now() + ms < request.deadline)
        return { kind: 'wait', ms, why, entry };
      await this.withdraw(entry, request);
      return { kind: 'refused', entry, error: noTime(entry, ms, this.now()) };
    }
  }

  /** Whether a fallback may be called instead of a model whose provider asked for a pause. */
  private hasOther(names: readonly string[], { spent }: Tries, held: string): boolean {
    const now = this.now();
    return names.some(
      (name) => name !== held && !spent.includes(name) && this.openUntil(name) <= now,
    );
  }

  /**
   * Decides what follows a failed attempt. A fallback takes the place of a model whose provider
   * asked for a pause at once.
   */
  after(
    chain: readonly ModelEntry[],
    tries: Tries,
    { entry, error }: { entry: ModelEntry; error: ModelError },
    deadline: number,
  ): NextAttempt {
    const { code, retryable, retryAfterMs: asked = 0 } = error;
    const retryAfterMs = Math.min(asked, this.limiter.maxHoldMs);
    if (retryAfterMs > 0) this.held.set(entry.name, this.now() + retryAfterMs);
    return nextAttempt(
      chain.map(({ name }) => name),
      tries,
      { model: entry.name, error: { code, retryable, retryAfterMs } },
      {
        openUntil: this.openUntil,
        now: this.now(),
        deadline,
        settings: this.retry,
        jitter: this.random(),
      },
    );
  }

  /**
   * Reports when a model is called again whose provider asked for a long pause, which may be longer
   * than the granted one.
   */
  withRetryTime(error: ModelError): ModelError {
    const { maxHoldMs } = this.limiter;
    const { code, message, retryAfterMs = 0 } = error;
    if (retryAfterMs < LONG_PAUSE_MS) return error;
    const retryAt = this.now() + Math.min(retryAfterMs, maxHoldMs);
    const test =
      retryAfterMs > maxHoldMs
        ? ` One call tests at ${utcTime(retryAt)} whether it takes calls again.`
        : '';
    return new ModelError(code, `${message}${test}`, { ...error, retryAt });
  }

  /**
   * Call when a caller is parked and can be woken. Room that became free before this is offered to
   * it now.
   */
  async parked(entry: ModelEntry): Promise<void> {
    await this.wakeNext(entry, this.limiter.nextCallers(entry));
  }

  private readonly openUntil = (model: string): number =>
    Math.max(this.open.get(model) ?? 0, this.held.get(model) ?? 0);

  private noteBreaker({ name }: ModelEntry, openMs: number): void {
    if (openMs > 0) this.open.set(name, this.now() + openMs);
    else this.open.delete(name);
  }

  private async withdraw(entry: ModelEntry, { id }: CallRequest, lease?: Lease): Promise<void> {
    await this.wakeNext(entry, lease ? lease.release() : this.limiter.leaveQueue(entry, id));
  }

  /**
   * As `wakeAfterRelease`. If Redis is not reachable, leases expire, and parked callers ask again
   * on their own.
   */
  private async wakeNext(entry: ModelEntry, released: Promise<ReleaseResult>): Promise<void> {
    await released.then((result) => this.wakeAfterRelease(entry, result)).catch(() => undefined);
  }

  /**
   * Handles the result of a released lease: updates the breaker and wakes the callers that may
   * start now.
   */
  async wakeAfterRelease(entry: ModelEntry, { openMs, next }: ReleaseResult): Promise<void> {
    this.noteBreaker(entry, openMs);
    if (next.length === 0) return;
    // A caller that was cancelled while it waited gives up its place.
    for (const id of await this.wake(next))
      await this.wakeAfterRelease(entry, await this.limiter.leaveQueue(entry, id));
  }
}

/** One attempt at one model. It holds a lease of the limiter until it ends. */
export class Attempt {
  /** Tokens of an answer that began and broke off. */
  taken: TurnUsage | undefined;

  constructor(
    private readonly calls: ModelCalls,
    readonly entry: ModelEntry,
    private readonly lease: Lease | undefined,
  ) {}

  /**
   * Streams the answer. Releases the lease when the answer ends or fails.
   * @throws ModelError, or the signal's reason
   */
  async *stream(request: TurnRequest, signal: AbortSignal): AsyncGenerator<TurnPart, void> {
    const { entry, lease } = this;
    let outcome: LeaseOutcome = 'abandoned';
    let holdMs = 0;
    if (lease?.makesNativeCalls === true) nativeCallers.add(entry);
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
        outcome = showsHealth(error) ? 'failed' : 'refused';
        holdMs = error.retryAfterMs ?? 0;
        throw this.calls.withRetryTime(error);
      }
      throw error;
    } finally {
      await this.close(outcome, holdMs);
    }
  }

  /** Releases the lease. If Redis is not reachable, the lease expires. */
  async close(outcome: LeaseOutcome = 'abandoned', holdMs = 0): Promise<void> {
    const left = await this.lease
      ?.release(outcome, holdMs, nativeCallers.has(this.entry))
      .catch(() => undefined);
    if (left) void this.calls.wakeAfterRelease(this.entry, left).catch(() => undefined);
  }
}

/**
 * Excludes rate limits, which have their own wait, and errors that a healthy model would return
 * too.
 */
const showsHealth = ({ code, retryable }: ModelError): boolean =>
  retryable && code !== 'RATE_LIMITED';

const lostLease = ({ name }: ModelEntry): ModelError =>
  new ModelError(
    'AI_ERROR',
    `The call of "${name}" was abandoned: its place in the queue could not be kept.`,
    {
      retryable: true,
    },
  );

const noTime = ({ name }: ModelEntry, ms: number, now: number): ModelError =>
  new ModelError(
    'RATE_LIMITED',
    `The provider of "${name}" is called again in ${Math.ceil(ms / 1_000)} s, at ${utcTime(now + ms)}, which is too late for this turn.`,
    {
      retryable: true,
      retryAfterMs: ms,
      ...(ms >= LONG_PAUSE_MS && { retryAt: now + ms }),
    },
  );
