import { randomUUID } from 'node:crypto';
import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Redis } from 'ioredis';
import { z } from 'zod';
import { CONFIG } from '../../config/config.module.js';
import type { Config } from '../../config/config.js';
import { atMost } from '../../lib/async.js';
import { Clock } from '../../lib/clock.js';
import { iso } from '../../lib/iso.js';
import { allOf } from '../../redis/all-of.js';
import { processesKey } from '../../redis/keys.js';
import { REDIS } from '../../redis/redis-token.js';
import { StoreWatch } from '../../redis/store-watch.js';
import { Feed } from '../../streams/feed.js';
import { version } from '../system/system.controller.js';

const BEAT_MS = 5_000;
/** A process without a heartbeat for this time counts as gone. */
const GONE_MS = 3 * BEAT_MS;
/** How long the end of a process waits until its entry is removed from the list. */
const LEAVE_MS = 1_000;

/** A process of the service, from its last heartbeat. */
export const processStatus = z.object({
  id: z.string(),
  role: z.enum(['all', 'api', 'worker']),
  version: z.string(),
  startedAt: z.iso.datetime(),
  seenAt: z.iso.datetime(),
  /** Share of one core, since the previous heartbeat. */
  cpu: z.number(),
  memoryBytes: z.int(),
  /** Open event streams. */
  followers: z.int(),
  /** Agents that it runs at once, by role; none in a process that only serves the API. */
  slots: z.record(z.string(), z.int()),
  /** Faults of the store that this process has found. */
  storeWarnings: z.array(z.string()),
});
export type ProcessStatus = z.infer<typeof processStatus>;

/** The running processes: each sends a heartbeat every 5 s, by the common clock. */
@Injectable()
export class ProcessRegistry implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly id = randomUUID().slice(0, 8);
  private readonly key: string;
  private readonly startedAt: string;
  private measured = { cpu: process.cpuUsage(), at: performance.now() };
  private timer: NodeJS.Timeout | undefined;

  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    @Inject(CONFIG) private readonly config: Config,
    private readonly clock: Clock,
    private readonly feed: Feed,
    private readonly watch: StoreWatch,
  ) {
    this.key = processesKey(config.redisPrefix);
    this.startedAt = iso(clock.now());
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.beat().catch(() => undefined), BEAT_MS).unref();
    void this.beat().catch(() => undefined);
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    // Without Redis, the entry counts as gone after a while.
    await atMost(LEAVE_MS, this.redis.hdel(this.key, this.id), 0).catch(() => undefined);
  }

  /**
   * Sends a heartbeat. The record ends with the last process.
   * @throws the error of Redis
   */
  async beat(): Promise<void> {
    await allOf(
      this.redis
        .multi()
        .hset(this.key, this.id, JSON.stringify(this.own()))
        .pexpire(this.key, GONE_MS),
    );
  }

  /**
   * The running processes, oldest first; removes those that are gone.
   * @throws the error of Redis
   */
  async list(): Promise<ProcessStatus[]> {
    const found = Object.entries(await this.redis.hgetall(this.key));
    const before = this.clock.now() - GONE_MS;
    const known = found.map(([id, text]) => ({ id, status: readStatus(text) }));
    const gone = known.filter(({ status }) => !status || Date.parse(status.seenAt) < before);
    if (gone.length > 0) await this.redis.hdel(this.key, ...gone.map(({ id }) => id));
    return known
      .flatMap((each) => (each.status && !gone.includes(each) ? [each.status] : []))
      .toSorted((a, b) => a.startedAt.localeCompare(b.startedAt));
  }

  private own(): ProcessStatus {
    const { role } = this.config;
    const cpu = process.cpuUsage(this.measured.cpu);
    const ms = performance.now() - this.measured.at;
    this.measured = { cpu: process.cpuUsage(), at: performance.now() };
    const { refused, warned } = this.watch.judgement;
    return {
      id: this.id,
      role,
      version,
      startedAt: this.startedAt,
      seenAt: iso(this.clock.now()),
      cpu: ms < 1 ? 0 : Math.round(((cpu.user + cpu.system) / 1_000 / ms) * 100) / 100,
      memoryBytes: process.memoryUsage.rss(),
      followers: this.feed.load.followers,
      slots: role === 'api' ? {} : slotsOf(this.config),
      storeWarnings: [...refused, ...warned],
    };
  }
}

const slotsOf = (config: Config): Record<string, number> => ({
  global_supervisor: config.globalSupervisorConcurrency,
  team_supervisor: config.teamSupervisorConcurrency,
  worker: config.workerConcurrency,
  oracle: config.oracleConcurrency,
});

/** Undefined for a record that a later version of the service wrote in another form. */
function readStatus(text: string): ProcessStatus | undefined {
  const { data } = processStatus.safeParse(JSON.parse(text));
  return data;
}
