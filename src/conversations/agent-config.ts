import { Inject, Injectable } from '@nestjs/common';
import { Redis } from 'ioredis';
import { z } from 'zod';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { DAY_SECONDS } from '../lib/day.js';
import { invalid } from '../http/parse.js';
import { limitsSchema, resolveLimits } from '../domain/limits/limits.js';
import { LIMIT_NAMES, type LimitName, type LimitOverrides } from '../domain/limits/limit-bounds.js';
import { REDIS } from '../redis/redis-token.js';
import { callerKeys } from '../redis/keys.js';

const KEPT_SECONDS = 365 * DAY_SECONDS;
const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const NAMES = new Map<string, LimitName>(LIMIT_NAMES.map((name) => [snake(name), name]));

/** All limits, in snake_case. */
export const agentLimits = z.object(
  Object.fromEntries(LIMIT_NAMES.map((name) => [snake(name), z.int()])),
);

/** The limits of a caller's chat turns. Contract section 8. */
@Injectable()
export class AgentConfig {
  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  async of(owner: string): Promise<LimitOverrides> {
    const text = await this.redis.get(this.key(owner));
    return text === null ? {} : (JSON.parse(text) as LimitOverrides);
  }

  /** All limits, in snake_case. */
  async show(owner: string): Promise<Record<string, number>> {
    const limits = resolveLimits('chat', await this.of(owner));
    return Object.fromEntries(LIMIT_NAMES.map((name) => [snake(name), limits[name]]));
  }

  /**
   * Sets those that are given, by their names in snake_case.
   * @throws ConsiliumError VALIDATION_FAILED
   */
  async set(
    owner: string,
    body: Readonly<Record<string, unknown>>,
  ): Promise<Record<string, number>> {
    const given = Object.entries(body);
    const faults = given.flatMap(([name, value]) => {
      const limit = NAMES.get(name);
      if (limit === undefined)
        return [
          {
            path: name || 'body',
            message: `is not a limit; allowed: ${[...NAMES.keys()].join(', ')}`,
          },
        ];
      const { error } = limitsSchema.safeParse({ [limit]: value });
      return error ? [{ path: name, message: error.issues[0]?.message ?? 'is not valid' }] : [];
    });
    if (faults.length > 0) throw invalid(faults);
    const named = Object.fromEntries<unknown>(
      given.map(([name, value]): [string, unknown] => [NAMES.get(name) ?? name, value]),
    );
    const all = { ...(await this.of(owner)), ...named };
    await this.redis.set(this.key(owner), JSON.stringify(all), 'EX', KEPT_SECONDS);
    return this.show(owner);
  }

  async reset(owner: string): Promise<Record<string, number>> {
    await this.redis.unlink(this.key(owner));
    return this.show(owner);
  }

  private key(owner: string): string {
    return callerKeys(this.config.redisPrefix, owner).limits;
  }
}
