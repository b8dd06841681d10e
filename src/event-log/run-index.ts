import { Inject, Injectable } from '@nestjs/common';
import { Redis } from 'ioredis';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { allOf } from '../redis/all-of.js';
import { Clock } from '../lib/clock.js';
import { REDIS } from '../redis/redis-token.js';
import { indexKeys } from './keys.js';

/** A place in the index: runs are ordered by time, then by id. */
export interface IndexPlace {
  createdAt: number;
  runId: string;
}

export interface OpenRun extends IndexPlace {
  topologyId: number;
}

export interface FinishedRun {
  runId: string;
  topologyId: number;
  /** ms: when it was seen to have ended. */
  endedAt: number;
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
    private readonly clock: Clock,
  ) {
    this.keys = indexKeys(config.redisPrefix);
  }

  async add(runId: string, topologyId: number): Promise<void> {
    const now = this.clock.now();
    const added = this.redis
      .multi()
      .zadd(this.keys.all, now, runId)
      .zadd(this.keys.topology(topologyId), now, runId)
      .zadd(this.keys.open, now, `${runId}:${topologyId}`);
    await allOf(added);
  }

  /** Forgets a run: it is found in no list any more. */
  async remove(runId: string, topologyId: number): Promise<void> {
    const removed = this.redis
      .multi()
      .zrem(this.keys.all, runId)
      .zrem(this.keys.topology(topologyId), runId)
      .zrem(this.keys.open, `${runId}:${topologyId}`)
      .zrem(this.keys.kept, `${runId}:${topologyId}`);
    await allOf(removed);
  }

  /** Newest first, after a place. */
  async page(
    topologyId: number | undefined,
    after: IndexPlace | undefined,
    limit: number,
  ): Promise<IndexPlace[]> {
    const key = topologyId === undefined ? this.keys.all : this.keys.topology(topologyId);
    const from = after ? String(after.createdAt) : '+inf';
    const places: IndexPlace[] = [];
    // Runs of the same ms as the cursor come again and are passed over.
    for (let offset = 0; places.length < limit; offset += limit) {
      const found = await this.redis.zrevrangebyscore(
        key,
        from,
        '-inf',
        'WITHSCORES',
        'LIMIT',
        offset,
        limit,
      );
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

  /** Whether a run is not known to have ended, or some of its work may not have. */
  async isOpen(runId: string, topologyId: number): Promise<boolean> {
    return (await this.redis.zscore(this.keys.open, `${runId}:${topologyId}`)) !== null;
  }

  async countOpen(): Promise<number> {
    return this.redis.zcard(this.keys.open);
  }

  /** A run has ended: the sweeper need not look at it again, and its log is kept for a while. */
  async close(runId: string, topologyId: number): Promise<void> {
    const member = `${runId}:${topologyId}`;
    await allOf(
      this.redis
        .multi()
        .zrem(this.keys.open, member)
        .zadd(this.keys.kept, 'NX', this.clock.now(), member),
    );
  }

  /** A run that was closed has not ended, after all: a failover has lost its end. */
  async reopen({ runId, topologyId, endedAt }: FinishedRun): Promise<void> {
    const member = `${runId}:${topologyId}`;
    await allOf(
      this.redis.multi().zrem(this.keys.kept, member).zadd(this.keys.open, endedAt, member),
    );
  }

  /** Finished runs whose logs need not be kept: those that ended before a moment (ms), and those beyond the latest `keep`. At most `most`, oldest first. */
  async surplus(before: number, keep: number, most: number): Promise<FinishedRun[]> {
    const [count, found] = await Promise.all([
      this.redis.zcard(this.keys.kept),
      this.redis.zrange(this.keys.kept, '0', String(most - 1), 'WITHSCORES'),
    ]);
    const runs: FinishedRun[] = [];
    for (let i = 0; i + 1 < found.length; i += 2) {
      const [runId = '', topologyId] = (found[i] as string).split(':');
      const endedAt = Number(found[i + 1]);
      if (endedAt < before || runs.length < count - keep)
        runs.push({ runId, topologyId: Number(topologyId), endedAt });
    }
    return runs;
  }

  /** The log of a finished run is gone. */
  async dropped({ runId, topologyId }: FinishedRun): Promise<void> {
    await this.redis.zrem(this.keys.kept, `${runId}:${topologyId}`);
  }

  /** Ids of runs created before a moment (ms), oldest first. */
  async older(before: number, offset: number, most: number): Promise<string[]> {
    return this.redis.zrangebyscore(this.keys.all, '-inf', `(${before}`, 'LIMIT', offset, most);
  }

  /**
   * Takes or keeps a task that one process at a time should do; doing it twice is harmless.
   * @returns whether it is ours for the next `ms`
   */
  async lead(who: string, ms: number): Promise<boolean> {
    if ((await this.redis.set(this.keys.lead, who, 'PX', ms, 'NX')) !== null) return true;
    if ((await this.redis.get(this.keys.lead)) !== who) return false;
    await this.redis.pexpire(this.keys.lead, ms);
    return true;
  }
}
