import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { ENTER, LEAVE, RENEW } from './limiter-scripts.js';
import type {
  Caller,
  EnterResult,
  Lease,
  ReleaseResult,
  LimitedModel,
  LimiterOptions,
  LimiterState,
  LeaseOutcome,
  WaitReason,
} from './limiter-types.js';
import { modelKey } from '../../redis/keys.js';

const OPTIONS: LimiterOptions = {
  leaseMs: 15_000,
  parkMs: 5_000,
  slackMs: 3_000,
  maxHoldMs: 300_000,
  breaker: { failures: 5, openMs: 10_000, maxOpenMs: 120_000, trialMs: 120_000 },
};

type Keys = [string, string, string, string, string, string, string, ...string[]];

const KEY_NAMES = 'leases tokens queue waiting starts hold breaker probe native'.split(' ');

/** What is given up: a lease (with its token) or a place in the queue. */
interface LeaseEnd {
  id: string;
  token?: string;
  outcome?: LeaseOutcome;
  /** ms that the provider asked to wait. */
  holdMs?: number;
  makesNativeCalls?: boolean;
}

/** The model that a native call is proof for: its name may get another model later. */
const idOf = ({ name, modelId = name }: LimitedModel): string => modelId;

/** @param scored members of a sorted set, each followed by its score */
const countAfter = (scored: readonly string[], ms: number): number =>
  scored.filter((score, i) => i % 2 === 1 && Number(score) > ms).length;

/**
 * Limits the concurrent calls and the calls per minute of each model, over all processes. Callers
 * are admitted by priority, then by arrival. Also holds the circuit breaker of each model. The
 * leases of a process that dies expire.
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

  /** ms: the longest pause that is obeyed. */
  get maxHoldMs(): number {
    return this.options.maxHoldMs;
  }

  /**
   * Asks for a lease. Never waits: the caller asks again later.
   * @param insist grants a lease even if the breaker is open, because there is no other model
   * @throws the error of Redis
   */
  async acquire(
    model: LimitedModel,
    { id, priority, order = 0 }: Caller,
    insist = false,
  ): Promise<EnterResult> {
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
      order,
    ];
    const [answer, ms, native] = (await this.redis.eval(
      ENTER,
      KEY_NAMES.length,
      ...this.keys(model),
      ...args,
    )) as ['granted' | 'open' | WaitReason, number, string?];
    switch (answer) {
      case 'granted':
        return { kind: 'granted', lease: this.renewedLease(model, { id, token, native }) };
      case 'open':
        return { kind: 'open', ms };
      case 'hold':
      case 'rate':
      case 'busy':
        return { kind: 'wait', ms: ms < 0 ? parkMs : ms, why: answer };
    }
  }

  /** Gives up a place in the queue. */
  async leaveQueue(model: LimitedModel, callerId: string): Promise<ReleaseResult> {
    return this.giveUp(model, { id: callerId });
  }

  /** Returns the callers that may start now. */
  async nextCallers(model: LimitedModel): Promise<ReleaseResult> {
    return this.giveUp(model, { id: '' });
  }

  /** Returns the state of a model's limiter, for operators. */
  async inspect(model: LimitedModel): Promise<LimiterState> {
    const [leases, , , waiting, starts, hold, breaker] = this.keys(model) as Keys;
    const answers = await this.redis
      .pipeline()
      .time()
      .zrange(leases, '0', '-1', 'WITHSCORES')
      .zrange(waiting, '0', '-1', 'WITHSCORES')
      .zrange(starts, '0', '-1', 'WITHSCORES')
      .get(hold)
      .hmget(breaker, 'failures', 'times', 'until', 'trial')
      .exec();
    const [time, leased, parked, started, heldUntil, broken] = (answers ?? []).map(
      ([error, answer]) => {
        if (error) throw error;
        return answer;
      },
    ) as [[string, string], string[], string[], string[], string | null, (string | null)[]];
    const now = Number(time[0]) * 1_000 + Math.floor(Number(time[1]) / 1_000);
    const [failures, times, until, trial] = broken;
    return {
      calls: countAfter(leased, now),
      waiting: countAfter(parked, now),
      startedInMinute: countAfter(started, now - 60_000),
      heldUntil: Number(heldUntil) > now ? Number(heldUntil) : null,
      breaker: {
        state: !Number(times) ? 'closed' : trial || Number(until) <= now ? 'half-open' : 'open',
        failures: Number(failures),
        until: Number(times) && !trial && Number(until) > now ? Number(until) : null,
      },
    };
  }

  private async giveUp(
    model: LimitedModel,
    { id, token = '', outcome = 'abandoned', holdMs = 0, makesNativeCalls = false }: LeaseEnd,
  ): Promise<ReleaseResult> {
    const { concurrency = 0, requestsPerMinute = 0 } = model.limits ?? {};
    const { slackMs, maxHoldMs, breaker } = this.options;
    const hold = Math.ceil(Math.min(holdMs, maxHoldMs));
    const isCut = holdMs > maxHoldMs ? 1 : 0;
    const args = [id, token, concurrency, requestsPerMinute, outcome, hold, isCut, slackMs];
    const native = makesNativeCalls ? idOf(model) : '';
    const settings = [breaker.failures, breaker.openMs, breaker.maxOpenMs, native];
    const [openMs, next] = (await this.redis.eval(
      LEAVE,
      KEY_NAMES.length,
      ...this.keys(model),
      ...args,
      ...settings,
    )) as [number, string[]];
    return { openMs, next };
  }

  private renewedLease(
    model: LimitedModel,
    { id, token, native }: { id: string; token: string; native: string | undefined },
  ): Lease {
    const { leaseMs } = this.options;
    const lost = new AbortController();
    let until = performance.now() + leaseMs;
    const timer = setInterval(() => {
      const asked = performance.now();
      // Redis was not reachable, or this process was suspended: the lease may have expired.
      if (asked >= until) return lose();
      this.redis.eval(RENEW, KEY_NAMES.length, ...this.keys(model), id, token, leaseMs).then(
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
      makesNativeCalls: native === idOf(model),
      release: async (outcome = 'abandoned', holdMs = 0, makesNativeCalls = false) => {
        clearInterval(timer);
        return this.giveUp(model, { id, token, outcome, holdMs, makesNativeCalls });
      },
    };
  }

  /** All keys share one hash tag, so that one script may use them in a cluster. */
  private keys({ name }: LimitedModel): string[] {
    const model = modelKey(this.prefix, name);
    return KEY_NAMES.map((key) => `${model}:${key}`);
  }
}
