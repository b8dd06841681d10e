/**
 * A model whose limits and breaker are shared by all processes. An undefined limit means no bound.
 */
export interface LimitedModel {
  name: string;
  /** The id of the model at the provider. */
  modelId?: string;
  limits?: { concurrency?: number; requestsPerMinute?: number };
}

/** An agent that wants to call a model. */
export interface Caller {
  /**
   * Stays the same until the call is made, so that the caller keeps its place in the queue, also
   * from another process.
   */
  id: string;
  /**
   * 0 to 9; the lowest goes first. Callers of the same priority go by their order, those without
   * one in order of arrival.
   */
  priority: number;
  /** At least 1; the lowest goes first. */
  order?: number;
}

/**
 * The outcome of a call, for the breaker. `failed` counts against the health of the model.
 * `refused` does not: a rate limit, or an error that a healthy model would return too. `abandoned`:
 * the caller gave the call up, or made none.
 */
export type LeaseOutcome = 'ok' | 'failed' | 'refused' | 'abandoned';

/** The state of the limiter after a lease or a place was given up. */
export interface ReleaseResult {
  /**
   * Ids of parked callers to wake: they may start now, or should choose another model because the
   * breaker has opened.
   */
  next: string[];
  /** ms until the breaker closes; 0: it is closed. */
  openMs: number;
}

export interface Lease {
  /** Fires when this process has lost the lease: the call must end. */
  lost: AbortSignal;
  /** Whether the model has made a native tool call, in any process. */
  makesNativeCalls: boolean;
  /**
   * Releases the lease.
   * @param holdMs ms for which no call of this model may start (Retry-After)
   * @param makesNativeCalls the model has made a native tool call, which other processes learn
   */
  release(
    outcome?: LeaseOutcome,
    holdMs?: number,
    makesNativeCalls?: boolean,
  ): Promise<ReleaseResult>;
}

/**
 * Why a caller waits. `hold`: the provider asked for a pause. `rate`: requests per minute. `busy`:
 * concurrent calls.
 */
export type WaitReason = 'hold' | 'rate' | 'busy';

/**
 * `wait`: no lease is free. The caller asks again after `ms`; the queue keeps its place slightly
 * longer than that. `open`: the breaker is open for `ms`; the queue keeps no place.
 */
export type EnterResult =
  | { kind: 'granted'; lease: Lease }
  | { kind: 'wait'; ms: number; why: WaitReason }
  | { kind: 'open'; ms: number };

export interface LimiterOptions {
  /** ms after which a lease expires if it is not renewed. */
  leaseMs: number;
  /** ms after which a caller that waits for a free lease asks again if it was not woken. */
  parkMs: number;
  /** ms for which a place is kept after its holder should have asked again, or was woken. */
  slackMs: number;
  /**
   * ms: a longer pause that a provider requests is cut to this; then one call tests whether it
   * takes calls again.
   */
  maxHoldMs: number;
  breaker: BreakerSettings;
}

/**
 * The breaker: closed, then open for a while, then half open: one trial call tests whether the
 * model has recovered.
 */
export interface BreakerSettings {
  /** Consecutive failures, over all processes, that open it. */
  failures: number;
  /** ms for which it stays open the first time. Doubles each time that a trial fails. */
  openMs: number;
  maxOpenMs: number;
  /** ms: how long a trial may take. */
  trialMs: number;
}

/** The state of the limiter and the breaker of a model. Times in ms since 1970. */
export interface LimiterState {
  /** Under way now, over all processes. */
  calls: number;
  /** Callers in the queue. */
  waiting: number;
  startedInMinute: number;
  /** Until then the provider takes no calls (Retry-After). */
  heldUntil: number | null;
  breaker: {
    state: 'closed' | 'open' | 'half-open';
    /** Consecutive failures while it is closed. */
    failures: number;
    /** When it may be tried again; null unless it is open. */
    until: number | null;
  };
}
