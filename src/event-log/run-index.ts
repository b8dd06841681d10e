import { Inject, Injectable } from '@nestjs/common';
import { Redis } from 'ioredis';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import type { RunHead } from '../domain/run.js';
import { DEFAULT_TENANT, tenantOf } from '../domain/tenant.js';
import { allOf } from '../redis/all-of.js';
import { Clock } from '../lib/clock.js';
import { REDIS } from '../redis/redis-token.js';
import { indexKeys } from './keys.js';

/** A position in the index. Runs are ordered by time, then by id. */
export interface IndexPlace {
  createdAt: number;
  runId: string;
}

/**
 * The runs of a tenant on a page: of one topology, accepted at or after and at or before a moment
 * (ms).
 */
export interface IndexRange {
  tenant: string;
  topologyId?: number | undefined;
  /**
   * Without chats. Until the diagnoses of earlier versions have been entered, chats are included.
   */
  diagnoses?: boolean;
  since?: number | undefined;
  until?: number | undefined;
  /** The page begins with the oldest run, not with the newest one. */
  oldestFirst?: boolean | undefined;
}

/** A time as a bound of a sorted set. */
const scoreOf = (ms: number): string =>
  Number.isFinite(ms) ? String(ms) : ms > 0 ? '+inf' : '-inf';

/** The lists of a run. */
export interface RunLists {
  topologyId: number;
  tenant: string;
}

export const listsOf = ({
  topologyId,
  owner,
}: Pick<RunHead, 'topologyId' | 'owner'>): RunLists => ({
  topologyId,
  tenant: tenantOf(owner),
});

export interface OpenRun extends IndexPlace, RunLists {}

export interface FinishedRun extends RunLists {
  runId: string;
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

  /** The time by which runs are entered, in ms: the same in all processes. */
  now(): number {
    return this.clock.now();
  }

  async add(runId: string, lists: RunLists, kind: RunHead['kind']): Promise<void> {
    const { topologyId, tenant } = lists;
    const now = this.now();
    const added = this.redis
      .multi()
      .zadd(this.keys.all(tenant), now, runId)
      .zadd(this.keys.topology(tenant, topologyId), now, runId)
      .zadd(this.keys.open, now, memberOf(runId, lists));
    if (kind === 'diagnosis')
      added
        .zadd(this.keys.diagnoses(tenant), now, runId)
        .zadd(this.keys.topologyDiagnoses(tenant, topologyId), now, runId);
    if (tenant !== DEFAULT_TENANT) added.sadd(this.keys.tenants, tenant);
    await allOf(added);
  }

  /** Removes a run from all lists. */
  async remove(runId: string, lists: RunLists): Promise<void> {
    const { topologyId, tenant } = lists;
    const removed = this.redis
      .multi()
      .zrem(this.keys.all(tenant), runId)
      .zrem(this.keys.topology(tenant, topologyId), runId)
      .zrem(this.keys.diagnoses(tenant), runId)
      .zrem(this.keys.topologyDiagnoses(tenant, topologyId), runId)
      .zrem(this.keys.open, memberOf(runId, lists))
      .zrem(this.keys.kept, memberOf(runId, lists));
    await allOf(removed);
  }

  /** The tenants that have runs. */
  async tenants(): Promise<string[]> {
    return [DEFAULT_TENANT, ...(await this.redis.smembers(this.keys.tenants))];
  }

  /** Returns runs after a position in the order of the range: newest first, or oldest first. */
  async page(
    { tenant, topologyId, since, until, oldestFirst = false, diagnoses = false }: IndexRange,
    after: IndexPlace | undefined,
    limit: number,
  ): Promise<IndexPlace[]> {
    const isOfDiagnoses = diagnoses && (await this.enteredUntil(tenant)) !== undefined;
    const [all, ofTopology] = isOfDiagnoses
      ? [this.keys.diagnoses, this.keys.topologyDiagnoses]
      : [this.keys.all, this.keys.topology];
    const key = topologyId === undefined ? all(tenant) : ofTopology(tenant, topologyId);
    const cursor = after?.createdAt;
    const newest = Math.min((oldestFirst ? undefined : cursor) ?? Infinity, until ?? Infinity);
    const oldest = Math.max((oldestFirst ? cursor : undefined) ?? -Infinity, since ?? -Infinity);
    const low = scoreOf(oldest);
    const high = scoreOf(newest);
    const isPassed = ({ createdAt, runId }: IndexPlace): boolean =>
      after !== undefined &&
      createdAt === after.createdAt &&
      (oldestFirst ? runId <= after.runId : runId >= after.runId);
    const places: IndexPlace[] = [];
    // The range includes runs of the cursor's millisecond; those before the cursor are skipped.
    for (let offset = 0; places.length < limit; offset += limit) {
      const found = oldestFirst
        ? await this.redis.zrangebyscore(key, low, high, 'WITHSCORES', 'LIMIT', offset, limit)
        : await this.redis.zrevrangebyscore(key, high, low, 'WITHSCORES', 'LIMIT', offset, limit);
      for (let i = 0; i + 1 < found.length; i += 2) {
        const place = { runId: found[i] as string, createdAt: Number(found[i + 1]) };
        if (!isPassed(place) && places.length < limit) places.push(place);
      }
      if (found.length < limit * 2) break;
    }
    return places;
  }

  /**
   * The time up to which all diagnoses of a tenant are listed apart from its chats, in ms;
   * undefined if that is not known yet.
   */
  async enteredUntil(tenant: string): Promise<number | undefined> {
    const until = await this.redis.hget(this.keys.entered, tenant);
    return until === null ? undefined : Number(until);
  }

  /** Records that all diagnoses of a tenant up to a time (ms) are listed apart from its chats. */
  async setEnteredUntil(tenant: string, until: number): Promise<void> {
    await this.redis.hset(this.keys.entered, tenant, until);
  }

  /**
   * Lists a diagnosis apart from the chats of its tenant: an earlier version may have accepted it.
   */
  async enterDiagnosis(
    { runId, createdAt }: IndexPlace,
    { tenant, topologyId }: RunLists,
  ): Promise<void> {
    await allOf(
      this.redis
        .multi()
        .zadd(this.keys.diagnoses(tenant), createdAt, runId)
        .zadd(this.keys.topologyDiagnoses(tenant, topologyId), createdAt, runId),
    );
  }

  /** Returns the runs that may not have ended, oldest first. */
  async open(): Promise<OpenRun[]> {
    const found = await this.redis.zrange(this.keys.open, '0', '-1', 'WITHSCORES');
    const runs: OpenRun[] = [];
    for (let i = 0; i + 1 < found.length; i += 2) {
      runs.push({ ...readMember(found[i] as string), createdAt: Number(found[i + 1]) });
    }
    return runs;
  }

  /** Whether a run, or some of its work, may not have ended. */
  async isOpen(runId: string, lists: RunLists): Promise<boolean> {
    return (await this.redis.zscore(this.keys.open, memberOf(runId, lists))) !== null;
  }

  async countOpen(): Promise<number> {
    return this.redis.zcard(this.keys.open);
  }

  /**
   * Removes a run that has ended from the sweeper's list. Its log is kept until its retention ends.
   * @returns whether this call has removed it: false if another one had
   */
  async close(runId: string, lists: RunLists): Promise<boolean> {
    const member = memberOf(runId, lists);
    const [removed] = await allOf(
      this.redis
        .multi()
        .zrem(this.keys.open, member)
        .zadd(this.keys.kept, 'NX', this.clock.now(), member),
    );
    return removed === 1;
  }

  /** Adds a closed run to the sweeper's list again: a failover has lost its terminal event. */
  async reopen({ runId, endedAt, ...lists }: FinishedRun): Promise<void> {
    const member = memberOf(runId, lists);
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
      const endedAt = Number(found[i + 1]);
      if (endedAt < before || runs.length < count - keep)
        runs.push({ ...readMember(found[i] as string), endedAt });
    }
    return runs;
  }

  /** Records that the log of a finished run was deleted. */
  async dropped({ runId, ...lists }: FinishedRun): Promise<void> {
    await this.redis.zrem(this.keys.kept, memberOf(runId, lists));
  }

  /** Returns the ids of runs of a tenant that were created before a time (ms), oldest first. */
  async older(tenant: string, before: number, offset: number, most: number): Promise<string[]> {
    const key = this.keys.all(tenant);
    return this.redis.zrangebyscore(key, '-inf', `(${before}`, 'LIMIT', offset, most);
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

const memberOf = (runId: string, { topologyId, tenant }: RunLists): string =>
  tenant === DEFAULT_TENANT ? `${runId}:${topologyId}` : `${runId}:${topologyId}:${tenant}`;

function readMember(member: string): RunLists & { runId: string } {
  const [runId = '', topologyId, tenant = DEFAULT_TENANT] = member.split(':');
  return { runId, topologyId: Number(topologyId), tenant };
}
