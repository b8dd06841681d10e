import { Inject, Injectable } from '@nestjs/common';
import { Redis } from 'ioredis';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { DAY_SECONDS } from '../lib/day.js';
import { alertKeys } from '../redis/keys.js';
import { allOf } from '../redis/all-of.js';
import { REDIS } from '../redis/redis-token.js';
import type { Alert } from './alert.js';
import { AlertStore, type TopologyKey } from './alert-store.js';

/**
 * Replaces the run of a topology. KEYS: the run of a topology. ARGV: the run before (empty: none),
 * the next run, seconds. Returns the run of the topology.
 */
const CLAIM = `
local now = redis.call('GET', KEYS[1])
if now and now ~= ARGV[1] then return now end
redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3])
return ARGV[2]
`;

@Injectable()
export class RedisAlertStore extends AlertStore {
  private readonly keys: ReturnType<typeof alertKeys>;
  private readonly keptSeconds: number;

  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    @Inject(CONFIG) config: Config,
  ) {
    super();
    this.keys = alertKeys(config.redisPrefix);
    this.keptSeconds = config.indexRetentionDays * DAY_SECONDS;
  }

  override async runOf({ tenant, id }: TopologyKey): Promise<string | undefined> {
    return (await this.redis.get(this.keys.run(tenant, id))) ?? undefined;
  }

  override async claim(
    { tenant, id }: TopologyKey,
    { before = '', next }: { before: string | undefined; next: string },
  ): Promise<string> {
    const key = this.keys.run(tenant, id);
    return String(await this.redis.eval(CLAIM, 1, key, before, next, DAY_SECONDS));
  }

  override async alertsOf(runId: string): Promise<Map<string, Alert>> {
    const found = await this.redis.hgetall(this.keys.ofRun(runId));
    return new Map(
      Object.entries(found).map(([fingerprint, text]) => [fingerprint, JSON.parse(text) as Alert]),
    );
  }

  override async record(runId: string, alerts: readonly Alert[]): Promise<void> {
    if (alerts.length === 0) return;
    const key = this.keys.ofRun(runId);
    const fields = alerts.flatMap((alert) => [alert.fingerprint, JSON.stringify(alert)]);
    await allOf(
      this.redis
        .multi()
        .hset(key, ...fields)
        .expire(key, this.keptSeconds),
    );
  }

  override async countChange(runId: string): Promise<number> {
    const key = this.keys.changes(runId);
    const [count] = await allOf(this.redis.multi().incr(key).expire(key, this.keptSeconds));
    return Number(count);
  }

  override async answered(id: string): Promise<string | undefined> {
    return (await this.redis.get(this.keys.delivery(id))) ?? undefined;
  }

  override async rememberAnswer(id: string, answer: string): Promise<void> {
    await this.redis.set(this.keys.delivery(id), answer, 'EX', DAY_SECONDS);
  }
}
