import { Inject, Injectable, OnApplicationShutdown } from '@nestjs/common';
import { Redis } from 'ioredis';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { followedKey, pausedKey } from '../redis/keys.js';
import { REDIS } from '../redis/redis-token.js';
import { StoreWatch } from '../redis/store-watch.js';

/**
 * ms for which a run counts as followed after its last follower left (contract section 3,
 * `onDisconnect`).
 */
const LEASE_MS = 10_000;
const RENEW_EVERY_MS = 3_000;

/**
 * Reports which runs have followers in any process: a lease in Redis for each run, renewed by every
 * process with a follower. Only runs that end without followers (`onDisconnect: "cancel"`) have a
 * lease.
 */
@Injectable()
export class Presence implements OnApplicationShutdown {
  /** Run → number of its followers in this process. */
  private readonly followers = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    @Inject(CONFIG) private readonly config: Config,
    private readonly store: StoreWatch,
  ) {}

  /** Adds a follower of a run. @returns a function that removes it */
  async follow(runId: string): Promise<() => void> {
    this.followers.set(runId, (this.followers.get(runId) ?? 0) + 1);
    this.timer ??= setInterval(() => this.renewAll(), RENEW_EVERY_MS).unref();
    let left = false;
    const leave = () => {
      if (!left) this.leave(runId);
      left = true;
    };
    try {
      await this.renew(runId);
    } catch (error) {
      leave();
      throw error;
    }
    return leave;
  }

  /** Creates or renews the lease of a run. @throws the error of ioredis */
  async renew(runId: string): Promise<void> {
    await this.redis.set(followedKey(this.config.redisPrefix, runId), '1', 'PX', LEASE_MS);
  }

  /**
   * Counts a run as followed until 10 s after a time, for a client whose stream the service has
   * ended and that will reconnect.
   * @param until ms since 1970, by the clock of the log
   * @throws the error of ioredis
   */
  async pause(runId: string, until: number): Promise<void> {
    const key = pausedKey(this.config.redisPrefix, runId);
    await this.redis.set(key, '1', 'PXAT', Math.ceil(until) + LEASE_MS);
  }

  /**
   * The client of `pause` has reconnected.
   * @throws the error of ioredis
   */
  async unpause(runId: string): Promise<void> {
    await this.redis.unlink(pausedKey(this.config.redisPrefix, runId));
  }

  /**
   * Whether a run had a follower in the last 10 s, or a client is expected back. Also true after an
   * outage until all processes could renew their leases.
   */
  async isFollowed(runId: string): Promise<boolean> {
    if (!this.store.isSettled) return true;
    const { redisPrefix: prefix } = this.config;
    return (await this.redis.exists(followedKey(prefix, runId), pausedKey(prefix, runId))) > 0;
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** Renews the lease a last time. */
  private leave(runId: string): void {
    const left = (this.followers.get(runId) ?? 1) - 1;
    if (left > 0) return void this.followers.set(runId, left);
    this.followers.delete(runId);
    this.renew(runId).catch(() => undefined);
  }

  private renewAll(): void {
    // If Redis is unavailable, the next turn tries again.
    for (const runId of this.followers.keys()) this.renew(runId).catch(() => undefined);
  }
}
