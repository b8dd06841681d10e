import { Inject, Injectable, OnApplicationShutdown } from '@nestjs/common';
import { Redis, type Cluster } from 'ioredis';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { runKeys } from '../event-log/keys.js';
import { isCluster } from '../redis/connect.js';
import { REDIS } from '../redis/redis-token.js';
import { RunControl } from './run-control.js';

const PATIENCE_MS = 10_000;

/** Cancels runs that were triggered with `onDisconnect: "cancel"` when nobody has followed them, on any node, for 10 s. */
@Injectable()
export class DisconnectWatch implements OnApplicationShutdown {
  private readonly timers = new Map<string, NodeJS.Timeout>();

  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    @Inject(CONFIG) private readonly config: Config,
    private readonly control: RunControl,
  ) {}

  /** A client has gone, or has not come yet. */
  left(runId: string): void {
    clearTimeout(this.timers.get(runId));
    this.timers.set(
      runId,
      setTimeout(() => void this.check(runId), PATIENCE_MS),
    );
  }

  /** Somebody follows. */
  came(runId: string): void {
    clearTimeout(this.timers.get(runId));
    this.timers.delete(runId);
  }

  onApplicationShutdown(): void {
    for (const timer of this.timers.values()) clearTimeout(timer);
  }

  private async check(runId: string): Promise<void> {
    this.timers.delete(runId);
    try {
      if (!(await this.isFollowed(runId)))
        await this.control.cancel(runId, 'Nobody followed the run any more');
    } catch {
      // Redis is away: look again.
      this.left(runId);
    }
  }

  /** Whether any client follows a run, on any node. */
  private async isFollowed(runId: string): Promise<boolean> {
    const { feed } = runKeys(this.config.redisPrefix, runId);
    const cluster = isCluster(this.config.redisUrl);
    const nodes = cluster ? (this.redis as unknown as Cluster).nodes('master') : [this.redis];
    const counted = await Promise.all(
      nodes.map((node) =>
        cluster ? node.pubsub('SHARDNUMSUB', feed) : node.pubsub('NUMSUB', feed),
      ),
    );
    return counted.some(([, followers]) => Number(followers) > 0);
  }
}
