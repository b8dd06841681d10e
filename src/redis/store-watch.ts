import { setTimeout as sleep } from 'node:timers/promises';
import {
  Inject,
  Injectable,
  Logger,
  OnApplicationBootstrap,
  OnApplicationShutdown,
  OnModuleInit,
} from '@nestjs/common';
import { Redis } from 'ioredis';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { atMost } from '../lib/async.js';
import { checkStore } from './check-store.js';
import type { Judgement } from './judge-store.js';
import { REDIS } from './redis-token.js';
import { recentDenial } from './store-failure.js';
import { storeFault, type StoreFault } from './store-fault.js';

/** ms that the start waits for a Redis that does not reply. It is checked when it replies. */
const PATIENCE_MS = 3_000;
/** ms after which the start determines why a Redis does not reply. */
const FIRST_MS = 500;
/** Shorter disconnects are not logged. */
const AWAY_MS = 1_000;
/** ms that a server has to reply to this check. */
const FAULT_MS = 2_000;
/**
 * ms after which a Redis that is unusable, has denied something or could not be checked is checked
 * again.
 */
const LOOK_AGAIN_MS = 5_000;
/** ms within which all processes of the service reconnect and compare their state. */
const SETTLE_MS = 5_000;

/**
 * Checks the Redis at the start and after each reconnect, because it may be another server with
 * other settings. An unusable Redis ends the start, and so does a wrong REDIS_URL; later, it makes
 * this process not ready. So does a Redis that no longer allows the commands of the service. Logs
 * when the connection is lost and when it is back.
 */
@Injectable()
export class StoreWatch implements OnModuleInit, OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(StoreWatch.name);
  private judged: Judgement = { refused: [], warned: [] };
  /** Monotonic time in ms of the last connect or disconnect. */
  private since = performance.now();
  private away = false;
  private started = false;
  /** How often the client has connected. */
  private connects = 0;
  /** Whether the last check failed, so that `judged` may be of another Redis. */
  private failed = false;
  /** The check that is under way. */
  private checking: Promise<boolean> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private again: NodeJS.Timeout | undefined;
  private reason = 'it does not reply';

  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    @Inject(CONFIG) private readonly config: Pick<Config, 'redisUrl' | 'redisPrefix'>,
  ) {
    redis.on('error', (error: Error) => (this.reason = error.message));
    redis.on('close', this.gone);
    redis.on('ready', this.back);
    if (redis.status !== 'ready') this.gone();
  }

  /** Faults and warnings of the current Redis. */
  get judgement(): Judgement {
    return this.judged;
  }

  /** `judgement`, after another check if Redis was unusable or has denied something. */
  async judge(): Promise<Judgement> {
    if (this.isDoubtful) await this.checkOnce();
    return this.judged;
  }

  /**
   * Whether an operator may have changed the rights of this service in Redis, which needs no
   * reconnect.
   */
  private get isDoubtful(): boolean {
    return this.judged.refused.length > 0 || recentDenial() !== undefined;
  }

  /** Whether the connection is old enough that other processes have reconnected, too. */
  get isSettled(): boolean {
    return performance.now() - this.since >= SETTLE_MS;
  }

  /** Waits until `isSettled`. */
  async settled(): Promise<void> {
    while (!this.isSettled) await sleep(this.since + SETTLE_MS - performance.now());
  }

  async onModuleInit(): Promise<void> {
    const looking = this.checkOnce();
    if (!(await atMost(FIRST_MS, looking, false))) {
      const fault = await this.fault();
      if (fault?.isLasting) throw new Error(`REDIS_URL cannot be used: ${fault.message}`);
      await atMost(PATIENCE_MS, looking, false);
    }
    if (this.judged.refused.length > 0)
      throw new Error(['This Redis cannot be used:', ...this.judged.refused].join('\n  '));
    this.redis.on('ready', () => void this.checkOnce());
    this.again = setInterval(() => {
      if (this.isDoubtful || this.failed) void this.checkOnce();
    }, LOOK_AGAIN_MS);
    this.again.unref();
  }

  onApplicationBootstrap(): void {
    this.started = true;
  }

  onApplicationShutdown(): void {
    clearTimeout(this.timer);
    clearInterval(this.again);
    // A check that is still running logs nothing any more.
    this.timer = undefined;
    this.redis.off('close', this.gone);
  }

  private readonly gone = (): void => {
    if (this.timer || this.away) return;
    this.since = performance.now();
    const timer = setTimeout(() => void this.logAway(timer), AWAY_MS);
    timer.unref();
    this.timer = timer;
  };

  /** @param disconnect the timer of the disconnect; another one is set after a reconnect */
  private async logAway(disconnect: NodeJS.Timeout): Promise<void> {
    const fault = await this.fault();
    if (this.timer !== disconnect) return;
    this.away = true;
    const effect = this.started
      ? 'Work is paused and requests fail with 503 until it is back.'
      : 'The start waits some seconds for it.';
    this.logger.warn(`Redis is unavailable: ${fault?.message ?? `${this.reason}.`} ${effect}`);
  }

  private async fault(): Promise<StoreFault | undefined> {
    const { redisUrl } = this.config;
    return redisUrl === undefined ? undefined : storeFault(redisUrl, FAULT_MS);
  }

  private readonly back = (): void => {
    this.connects++;
    const seconds = ((performance.now() - this.since) / 1_000).toFixed(1);
    clearTimeout(this.timer);
    if (this.away) this.logger.log(`Redis is back after ${seconds} s.`);
    [this.timer, this.away, this.since] = [undefined, false, performance.now()];
  };

  /**
   * Checks the store, once at a time: anyone may ask for the health.
   * @returns whether Redis replied
   */
  private checkOnce(): Promise<boolean> {
    this.checking ??= this.check().finally(() => (this.checking = undefined));
    return this.checking;
  }

  private async check(): Promise<boolean> {
    const before = [...this.judged.refused, ...this.judged.warned];
    try {
      let connection: number;
      do {
        // Replies to its commands come from one server only if the client has not reconnected.
        await this.redis.ping();
        connection = this.connects;
        this.judged = await checkStore(this.redis, this.config.redisPrefix);
      } while (connection !== this.connects);
      this.failed = false;
      for (const line of this.judged.refused) if (!before.includes(line)) this.logger.error(line);
      for (const line of this.judged.warned) if (!before.includes(line)) this.logger.warn(line);
      return true;
    } catch {
      this.failed = true;
      return false;
    }
  }
}
