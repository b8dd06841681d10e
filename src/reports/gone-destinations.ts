import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { Redis } from 'ioredis';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { goneDestinationsKey } from '../redis/keys.js';
import { REDIS } from '../redis/redis-token.js';

const digestOf = (url: string): string => createHash('sha256').update(url).digest('hex');

/** Destinations that answered 410 Gone. One with another address is not gone. */
@Injectable()
export class GoneDestinations {
  private readonly key: string;

  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    @Inject(CONFIG) config: Config,
  ) {
    this.key = goneDestinationsKey(config.redisPrefix);
  }

  async has(id: string, url: string): Promise<boolean> {
    return (await this.redis.hget(this.key, id)) === digestOf(url);
  }

  async add(id: string, url: string): Promise<void> {
    await this.redis.hset(this.key, id, digestOf(url));
  }
}
