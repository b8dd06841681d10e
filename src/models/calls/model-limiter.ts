import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { ENTER, LEAVE, RENEW } from './limiter-scripts.js';
import { modelKey } from '../../redis/keys.js';

/** A model whose limits and breaker are shared by all processes. Undefined: no bound. */
export interface LimitedModel {
  name: string;
  limits?: { concurrency?: number; requestsPerMinute?: number };
}

/** Who wants to call it. */
export interface Caller {
  /** The same as long as it wants the same call: it keeps its place in the queue, wherever it asks from. */
  id: string;
  /** 0 to 9; the lowest goes first, then who came first. */
  priority: number;
}

/**
 * What came of a call, for the breaker. `failed` tells of the model's health; `refused` does not: a rate limit, or what would
 * fail at a healthy model too. `abandoned`: whoever made it gave it up, or made none.
 */
export type Outcome = 'ok' | 'failed' | 'refused' | 'abandoned';

/** After somebody has left. */
export interface Left {
  /** Who may start now, or had better look elsewhere: they wait without a slot, and have to be woken. */
  next: string[];
  /** ms for which the breaker is open; 0: it is closed. */
  openMs: number;
}

export interface Lease {
  /** Fires when the lease is not ours any more: the call must end. */
  lost: AbortSignal;
  /** Gives it back. @param holdMs nobody starts a call for so long: the provider said so */
  release(outcome?: Outcome, holdMs?: number): Promise<Left>;
}

/** Why somebody waits: the provider wants to be left alone, so many have started in this minute, or so many are under way. */
export type WaitReason = 'hold' | 'rate' | 'busy';

/**
 * `wait`: there was no room. The caller keeps its place for a little longer than these ms, after which it is to ask again.
 * `open`: the breaker is, for so long; no place is kept.
 */
export type Entered =
  | { kind: 'granted'; lease: Lease }
  | { kind: 'wait'; ms: number; why: WaitReason }
  | { kind: 'open'; ms: number };

export interface LimiterOptions {
  /** ms without a sign of life after which a lease runs out. */
  leaseMs: number;
  /** ms after which one who waits for somebody to end asks again, where nobody wakes it. */
  parkMs: number;
  /** ms that a place outlives the time at which its holder was to ask again, or was called. */
  slackMs: number;
  breaker: BreakerSettings;
}

/** The breaker: closed, open for a while, then open but for one call that tries whether the model is back. */
export interface BreakerSettings {
  /** Failures in a row, of all processes, that open it. */
  failures: number;
  /** ms: how long it stays open the first time. It doubles each time that a trial fails. */
  openMs: number;
  maxOpenMs: number;
  /** ms: how long a trial may take. */
  trialMs: number;
}

const OPTIONS: LimiterOptions = {
  leaseMs: 15_000,
  parkMs: 5_000,
  slackMs: 3_000,
  breaker: { failures: 5, openMs: 10_000, maxOpenMs: 120_000, trialMs: 120_000 },
};

/**
 * How many calls of a model are under way, and start in a minute, over all processes: never more than its limits, by priority
 * and then by arrival; and whether it is well enough to be called. What was given to a process that dies runs out.
 */
export class ModelLimiter {
  private readonly options: LimiterOptions;

  constructor(
    private readonly redis: Redis,
    private readonly prefix: string,
    options: Partial<LimiterOptions> = {},
  ) {
    this.options = { ...OPTIONS, ...options };
  }

  /**
   * Asks for a turn. Nobody waits here: whoever has to comes again.
   * @param insist calls though the breaker is open: there is no other model
   * @throws what Redis throws
   */
  async enter(model: LimitedModel, { id, priority }: Caller, insist = false): Promise<Entered> {
    const token = randomUUID();
    const { leaseMs, parkMs, slackMs, breaker } = this.options;
    const { concurrency = 0, requestsPerMinute = 0 } = model.limits ?? {};
    const args = [
      id,
      priority,
      token,
      leaseMs,
      parkMs,
      slackMs,
      concurrency,
      requestsPerMinute,
      breaker.trialMs,
      insist ? 1 : 0,
    ];
    const [answer, ms] = (await this.redis.eval(ENTER, 7, ...this.keys(model), ...args)) as [
      'granted' | 'open' | WaitReason,
      number,
    ];
    switch (answer) {
      case 'granted':
        return { kind: 'granted', lease: this.keep(model, id, token) };
      case 'open':
        return { kind: 'open', ms };
      case 'hold':
      case 'rate':
      case 'busy':
        return { kind: 'wait', ms: ms < 0 ? parkMs : ms, why: answer };
    }
  }

  /** Gives up a place in the queue. */
  async leave(model: LimitedModel, callerId: string): Promise<Left> {
    return this.give(model, callerId, '', 'abandoned', 0);
  }

  /** Who may start now. */
  async look(model: LimitedModel): Promise<Left> {
    return this.give(model, '', '', 'abandoned', 0);
  }

  private async give(
    model: LimitedModel,
    id: string,
    token: string,
    outcome: Outcome,
    holdMs: number,
  ): Promise<Left> {
    const { concurrency = 0, requestsPerMinute = 0 } = model.limits ?? {};
    const { slackMs, breaker } = this.options;
    const args = [id, token, concurrency, requestsPerMinute, outcome, Math.ceil(holdMs), slackMs];
    const settings = [breaker.failures, breaker.openMs, breaker.maxOpenMs];
    const [openMs, next] = (await this.redis.eval(
      LEAVE,
      7,
      ...this.keys(model),
      ...args,
      ...settings,
    )) as [number, string[]];
    return { openMs, next };
  }

  private keep(model: LimitedModel, id: string, token: string): Lease {
    const { leaseMs } = this.options;
    const lost = new AbortController();
    let until = performance.now() + leaseMs;
    const timer = setInterval(() => {
      const asked = performance.now();
      // Redis cannot be reached, or this process stood still: others may have taken it.
      if (asked >= until) return lose();
      this.redis.eval(RENEW, 7, ...this.keys(model), id, token, leaseMs).then(
        (kept) => (kept === 1 ? (until = asked + leaseMs) : lose()),
        () => undefined,
      );
    }, leaseMs / 4);
    timer.unref();
    const lose = () => {
      clearInterval(timer);
      lost.abort();
    };
    return {
      lost: lost.signal,
      release: async (outcome = 'abandoned', holdMs = 0) => {
        clearInterval(timer);
        return this.give(model, id, token, outcome, holdMs);
      },
    };
  }

  /** All under one hash tag, so that a script may touch them in a cluster. */
  private keys({ name }: LimitedModel): string[] {
    const model = modelKey(this.prefix, name);
    return ['leases', 'tokens', 'queue', 'waiting', 'starts', 'hold', 'breaker'].map(
      (key) => `${model}:${key}`,
    );
  }
}
