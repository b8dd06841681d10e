import { Inject, Injectable, OnApplicationShutdown } from '@nestjs/common';
import { Redis } from 'ioredis';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { followedKey } from '../redis/keys.js';
import { REDIS } from '../redis/redis-token.js';
import { StoreWatch } from '../redis/store-watch.js';

/** A run counts as followed for so long after its last follower was there. Contract section 3, `onDisconnect`. */
const LEASE_MS = 10_000;
const RENEW_EVERY_MS = 3_000;

/**
 * Which runs have followers, on any node: a lease in Redis for each run, renewed by every node that serves a follower of it.
 * Only runs that end without followers (`onDisconnect: "cancel"`) have one.
 */
@Injectable()
export class Presence implements OnApplicationShutdown {
  /** Run → its followers on this node. */
  private readonly followers = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    @Inject(CONFIG) private readonly config: Config,
    private readonly store: StoreWatch,
  ) {}

  /** A run is followed from now on. @returns ends that */
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

  /** Begins or renews the lease of a run. @throws what ioredis throws */
  async renew(runId: string): Promise<void> {
    await this.redis.set(followedKey(this.config.redisPrefix, runId), '1', 'PX', LEASE_MS);
  }

  /** Whether a run had a follower within the last 10 s. Also true as long as nodes may not have renewed their leases after an outage. */
  async isFollowed(runId: string): Promise<boolean> {
    if (!this.store.isSettled) return true;
    return (await this.redis.exists(followedKey(this.config.redisPrefix, runId))) === 1;
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** The lease lasts its full time from here. */
  private leave(runId: string): void {
    const left = (this.followers.get(runId) ?? 1) - 1;
    if (left > 0) return void this.followers.set(runId, left);
    this.followers.delete(runId);
    this.renew(runId).catch(() => undefined);
  }

  private renewAll(): void {
    // While Redis is away, the next turn tries again.
    for (const runId of this.followers.keys()) this.renew(runId).catch(() => undefined);
  }
}
