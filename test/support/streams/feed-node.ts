import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Config } from '../../../src/config/config.js';
import { loadConfig } from '../../../src/config/load-config.js';
import type { DraftEvent } from '../../../src/domain/events/event.js';
import { RedisLog } from '../../../src/event-log/redis-log.js';
import { Feed } from '../../../src/streams/feed.js';
import { spec, started } from '../incidents/drafts.js';
import type { TestRedis } from '../redis.js';

/**
 * A process that serves followers, whose subscription may go through a proxy, and a writer with its
 * own connection.
 */
export function feedNode(
  { redis, url, prefix }: TestRedis,
  way = url,
  overrides: Partial<Config> = {},
) {
  const config = {
    ...loadConfig({ REDIS_URL: way, REDIS_PREFIX: prefix, HEARTBEAT_SECONDS: '1' }),
    ...overrides,
  };
  const log = new RedisLog(redis, config);
  return { config, log, feed: new Feed(log, config) };
}

/** A run that a test writes. */
export class TestRun {
  readonly runId = randomUUID();
  private step = 0;

  constructor(
    private readonly log: RedisLog,
    private readonly redis: Redis,
  ) {}

  async begin(): Promise<this> {
    await this.log.create(this.runId, spec, [started]);
    await this.log.claim(this.runId, 'w');
    return this;
  }

  async append(...events: DraftEvent[]): Promise<void> {
    await this.log.append(this.runId, { writer: 'w', epoch: 1, step: ++this.step, events });
  }

  /** All frames after a cursor, read from Redis directly. */
  async after(cursor: number): Promise<string> {
    const entries = await this.redis.xrange(this.log.keys(this.runId).log, `(${cursor}-0`, '+');
    return entries.map(([, fields]) => fields[1]).join('');
  }

  /** Number of connections that are subscribed to it. */
  async subscribers(): Promise<number> {
    const [, count] = await this.redis.pubsub('NUMSUB', this.log.keys(this.runId).feed);
    return Number(count);
  }
}
