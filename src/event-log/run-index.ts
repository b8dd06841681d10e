import { Inject, Injectable } from '@nestjs/common';
import { Redis } from 'ioredis';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { REDIS } from '../redis/redis.module.js';
import { indexKeys } from './keys.js';

/** A place in the index: runs are ordered by time, then by id. */
export interface IndexPlace {
  createdAt: number;
  runId: string;
}

export interface OpenRun extends IndexPlace {
  topologyId: number;
}

/**
 * Which runs there are. Its keys are not in the slot of the runs' own, so it is written first: an entry without a log is a
 * run that was never accepted, a log without an entry cannot be. Decision 8.
 */
@Injectable()
export class RunIndex {
  private readonly keys: ReturnType<typeof indexKeys>;

  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    @Inject(CONFIG) config: Config,
  ) {
    this.keys = indexKeys(config.redisPrefix);
  }

  async add(runId: string, topologyId: number, now: number): Promise<void> {
    const added = await this.redis
      .multi()
      .zadd(this.keys.all, now, runId)
      .zadd(this.keys.topology(topologyId), now, runId)
      .zadd(this.keys.open, now, `${runId}:${topologyId}`)
      .exec();
    for (const [error] of added ?? []) if (error) throw error;
  }

  /** Forgets a run: it is found in no list any more. */
  async remove(runId: string, topologyId: number): Promise<void> {
    await this.redis
      .multi()
      .zrem(this.keys.all, runId)
      .zrem(this.keys.topology(topologyId), runId)
      .zrem(this.keys.open, `${runId}:${topologyId}`)
      .exec();
  }

  /** Newest first, after a place. */
  async page(topologyId: number | undefined, after: IndexPlace | undefined, limit: number): Promise<IndexPlace[]> {
    const key = topologyId === undefined ? this.keys.all : this.keys.topology(topologyId);
    const from = after ? String(after.createdAt) : '+inf';
    const places: IndexPlace[] = [];
    // Runs of the same ms as the cursor come again and are passed over.
    for (let offset = 0; places.length < limit; offset += limit) {
      const found = await this.redis.zrevrangebyscore(key, from, '-inf', 'WITHSCORES', 'LIMIT', offset, limit);
      for (let i = 0; i + 1 < found.length; i += 2) {
        const place = { runId: found[i] as string, createdAt: Number(found[i + 1]) };
        const passed = after && place.createdAt === after.createdAt && place.runId >= after.runId;
        if (!passed && places.length < limit) places.push(place);
      }
      if (found.length < limit * 2) break;
    }
    return places;
  }

  /** Runs that are not known to have ended, oldest first. */
  async open(): Promise<OpenRun[]> {
    const found = await this.redis.zrange(this.keys.open, '0', '-1', 'WITHSCORES');
    const runs: OpenRun[] = [];
    for (let i = 0; i + 1 < found.length; i += 2) {
      const [runId = '', topologyId] = (found[i] as string).split(':');
      runs.push({ runId, topologyId: Number(topologyId), createdAt: Number(found[i + 1]) });
    }
    return runs;
  }

  async countOpen(): Promise<number> {
    return this.redis.zcard(this.keys.open);
  }

  /** A run has ended: the sweeper need not look at it again. */
  async close(runId: string, topologyId: number): Promise<void> {
    await this.redis.zrem(this.keys.open, `${runId}:${topologyId}`);
  }
}
