import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { ENTER, HOLD, LEAVE, RENEW } from './limiter-scripts.js';

/** A model whose limits are shared by all processes. Undefined: no bound. */
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

export interface Lease {
  /** Fires when the lease is not ours any more: the call must end. */
  lost: AbortSignal;
  /** Gives it back. @returns the ids of those who may start now: they may be parked, and have to be woken */
  release(): Promise<string[]>;
}

/** Why somebody waits: the provider wants to be left alone, so many have started in this minute, or so many are under way. */
export type WaitReason = 'hold' | 'rate' | 'busy';

/** `wait`: there was no room. The caller keeps its place for a little longer than these ms, after which it is to ask again. */
export type Entered = { kind: 'granted'; lease: Lease } | { kind: 'wait'; ms: number; why: WaitReason };

export interface LimiterOptions {
  /** ms without a sign of life after which a lease runs out. */
  leaseMs: number;
  /** ms between two questions of one who waits in its slot, where nobody wakes it. */
  pollMs: number;
  /** ms that one who is parked waits for somebody to end, where nobody wakes it. */
  parkMs: number;
}

const OPTIONS: LimiterOptions = { leaseMs: 15_000, pollMs: 150, parkMs: 1_500 };
/** ms that a place outlives the time at which its holder was to ask again. */
const SLACK_MS = 2_000;

/**
 * How many calls of a model are under way, and start in a minute, over all processes: never more than its limits, by priority
 * and then by arrival. What was given to a process that dies runs out.
 */
export class ModelLimiter {
  private readonly options: LimiterOptions;
  /** Who waits in this process: ends its pause. */
  private readonly pausing = new Map<string, () => void>();

  constructor(
    private readonly redis: Redis,
    private readonly prefix: string,
    options: Partial<LimiterOptions> = {},
  ) {
    this.options = { ...OPTIONS, ...options };
  }

  /**
   * Waits for a turn, at most so long as the patience lasts, in the slot of the caller.
   * @param signal ends the waiting; the caller's place is given up
   * @throws the signal's reason; what Redis throws
   */
  async enter(model: LimitedModel, caller: Caller, patienceMs: number, signal: AbortSignal): Promise<Entered> {
    const token = randomUUID();
    const { pollMs, parkMs } = this.options;
    const until = performance.now() + patienceMs;
    for (;;) {
      signal.throwIfAborted();
      const left = Math.max(0, until - performance.now());
      const [answer, hint] = await this.ask(model, caller, token, Math.max(left, parkMs) + SLACK_MS);
      if (signal.aborted) await this.give(model, caller.id, answer === 'granted' ? token : '').catch(() => []);
      signal.throwIfAborted();
      if (answer === 'granted') return { kind: 'granted', lease: this.keep(model, caller.id, token) };
      const known = hint >= 0;
      if (known ? hint > left : left === 0) {
        const ms = known ? hint : parkMs;
        // Its place has to last until it comes back.
        if (ms > parkMs) await this.ask(model, caller, token, ms + SLACK_MS);
        return { kind: 'wait', ms, why: answer };
      }
      await this.pause(caller.id, Math.min(known ? Math.max(hint, 1) : pollMs, left), signal).catch(async () => {
        await this.give(model, caller.id, '').catch(() => []);
      });
    }
  }

  /** Gives up a place in the queue. @returns the ids of those who may start now */
  async leave(model: LimitedModel, callerId: string): Promise<string[]> {
    return this.give(model, callerId, '');
  }

  /** Nobody starts a call for so long: the provider said so. */
  async hold(model: LimitedModel, ms: number): Promise<void> {
    await this.redis.eval(HOLD, 6, ...this.keys(model), Math.ceil(ms));
  }

  private async ask(
    model: LimitedModel,
    { id, priority }: Caller,
    token: string,
    placeMs: number,
  ): Promise<['granted' | WaitReason, number]> {
    const { concurrency = 0, requestsPerMinute = 0 } = model.limits ?? {};
    const args = [id, priority, token, this.options.leaseMs, Math.ceil(placeMs), concurrency, requestsPerMinute];
    return (await this.redis.eval(ENTER, 6, ...this.keys(model), ...args)) as ['granted' | WaitReason, number];
  }

  private async give(model: LimitedModel, id: string, token: string): Promise<string[]> {
    const { concurrency = 0, requestsPerMinute = 0 } = model.limits ?? {};
    const next = (await this.redis.eval(LEAVE, 6, ...this.keys(model), id, token, concurrency, requestsPerMinute)) as string[];
    for (const one of next) this.pausing.get(one)?.();
    return next.filter((one) => !this.pausing.has(one));
  }

  private keep(model: LimitedModel, id: string, token: string): Lease {
    const { leaseMs } = this.options;
    const lost = new AbortController();
    let until = performance.now() + leaseMs;
    const timer = setInterval(() => {
      const asked = performance.now();
      // Redis cannot be reached, or this process stood still: others may have taken it.
      if (asked >= until) return lose();
      this.redis.eval(RENEW, 6, ...this.keys(model), id, token, leaseMs).then(
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
      release: async () => {
        clearInterval(timer);
        return this.give(model, id, token);
      },
    };
  }

  /** Until somebody of this process makes room, or for so long. */
  private async pause(id: string, ms: number, signal: AbortSignal): Promise<void> {
    const woken = new AbortController();
    const wake = () => woken.abort();
    this.pausing.set(id, wake);
    try {
      await sleep(ms, undefined, { signal: AbortSignal.any([signal, woken.signal]) });
    } catch {
      signal.throwIfAborted();
    } finally {
      if (this.pausing.get(id) === wake) this.pausing.delete(id);
    }
  }

  /** All under one hash tag, so that a script may touch them in a cluster. */
  private keys({ name }: LimitedModel): string[] {
    const model = `${this.prefix}:{model:${name}}`;
    return ['leases', 'tokens', 'queue', 'waiting', 'starts', 'hold'].map((key) => `${model}:${key}`);
  }
}
