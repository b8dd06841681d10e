import { Inject, Injectable } from '@nestjs/common';
import { Redis } from 'ioredis';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { allOf } from '../redis/all-of.js';
import { Clock } from '../lib/clock.js';
import { REDIS } from '../redis/redis-token.js';
import { indexKeys } from './keys.js';

/** A position in the index. Runs are ordered by time, then by id. */
export interface IndexPlace {
  createdAt: number;
  runId: string;
}

/** Which runs a page is made of: of one topology, accepted at or after and at or before a moment (ms). */
export interface IndexRange {
  topologyId?: number | undefined;
  since?: number | undefined;
  until?: number | undefined;
}

export interface OpenRun extends IndexPlace {
  topologyId: number;
}

export interface FinishedRun {
  runId: string;
  topologyId: number;
  /** When the end of the run was noticed, in ms. */
  endedAt: number;
}

/**
 * The index of all runs. Its keys are in another slot than those of the runs, so it is written
 * first: an entry without a log is a run that was never accepted, and a log always has an entry.
 * See docs/decisions/0008-order-across-keys.md.
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

  /** Removes a run from all lists. */
  async remove(runId: string, topologyId: number): Promise<void> {
    const removed = this.redis
      .multi()
      .zrem(this.keys.all, runId)
      .zrem(this.keys.topology(topologyId), runId)
      .zrem(this.keys.open, `${runId}:${topologyId}`)
      .zrem(this.keys.kept, `${runId}:${topologyId}`);
    await allOf(removed);
  }

  /** Returns runs after a position, newest first. */
  async page(
    { topologyId, since, until }: IndexRange,
    after: IndexPlace | undefined,
    limit: number,
  ): Promise<IndexPlace[]> {
    const key = topologyId === undefined ? this.keys.all : this.keys.topology(topologyId);
    const from = Math.min(after?.createdAt ?? Infinity, until ?? Infinity);
    const newest = from === Infinity ? '+inf' : String(from);
    const oldest = since === undefined ? '-inf' : String(since);
    const places: IndexPlace[] = [];
    // The range includes runs of the cursor's millisecond; those before the cursor are skipped.
    for (let offset = 0; places.length < limit; offset += limit) {
      const found = await this.redis.zrevrangebyscore(
        key,
        newest,
        oldest,
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

  /** Returns the runs that may not have ended, oldest first. */
  async open(): Promise<OpenRun[]> {
    const found = await this.redis.zrange(this.keys.open, '0', '-1', 'WITHSCORES');
    const runs: OpenRun[] = [];
    for (let i = 0; i + 1 < found.length; i += 2) {
      const [runId = '', topologyId] = (found[i] as string).split(':');
      runs.push({ runId, topologyId: Number(topologyId), createdAt: Number(found[i + 1]) });
    }
    return runs;
  }

  /** Whether a run, or some of its work, may not have ended. */
  async isOpen(runId: string, topologyId: number): Promise<boolean> {
    return (await this.redis.zscore(this.keys.open, `${runId}:${topologyId}`)) !== null;
  }

  async countOpen(): Promise<number> {
    return this.redis.zcard(this.keys.open);
  }

  /**
   * Removes a run that has ended from the sweeper's list. Its log is kept until its retention ends.
   */
  async close(runId: string, topologyId: number): Promise<void> {
    const member = `${runId}:${topologyId}`;
    await allOf(
      this.redis
        .multi()
        .zrem(this.keys.open, member)
        .zadd(this.keys.kept, 'NX', this.clock.now(), member),
    );
  }

  /** Adds a closed run to the sweeper's list again: a failover has lost its terminal event. */
  async reopen({ runId, topologyId, endedAt }: FinishedRun): Promise<void> {
    const member = `${runId}:${topologyId}`;
    await allOf(
      this.redis.multi().zrem(this.keys.kept, member).zadd(this.keys.open, endedAt, member),
    );
  }

  /**
   * Returns at most `most` finished runs whose logs may be deleted, oldest first: runs that ended
   * before a time (ms), and runs beyond the latest `keep`.
   */
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

  /** Records that the log of a finished run was deleted. */
  async dropped({ runId, topologyId }: FinishedRun): Promise<void> {
    await this.redis.zrem(this.keys.kept, `${runId}:${topologyId}`);
  }

  /** Returns the ids of runs created before a time (ms), oldest first. */
  async older(before: number, offset: number, most: number): Promise<string[]> {
    return this.redis.zrangebyscore(this.keys.all, '-inf', `(${before}`, 'LIMIT', offset, most);
  }

  /**
   * Takes or renews the lease of a task that one process at a time should do. Two processes may
   * both hold it for a moment.
   * @returns whether the caller holds it for the next `ms`
   */
  async lead(who: string, ms: number): Promise<boolean> {
    if ((await this.redis.set(this.keys.lead, who, 'PX', ms, 'NX')) !== null) return true;
    if ((await this.redis.get(this.keys.lead)) !== who) return false;
    await this.redis.pexpire(this.keys.lead, ms);
    return true;
  }
}
