import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, Logger, OnModuleInit } from '@nestjs/common';
import { Redis } from 'ioredis';
import { checkStore } from './check-store.js';
import type { Judgement } from './judge-store.js';
import { REDIS } from './redis-token.js';

/** How long the start waits for a Redis that does not answer. It is looked at as soon as it does. */
const PATIENCE_MS = 3_000;

/**
 * Looks at the Redis before anything is done with it, and whenever there is a new connection: it may be another one then, with
 * other settings. One that cannot be trusted with runs ends the start; later it makes this process not ready.
 */
@Injectable()
export class StoreWatch implements OnModuleInit {
  private readonly logger = new Logger(StoreWatch.name);
  private judged: Judgement = { refused: [], warned: [] };

  constructor(@Inject(REDIS) private readonly redis: Redis) {}

  /** What is known to be wrong with the Redis of now. */
  get judgement(): Judgement {
    return this.judged;
  }

  async onModuleInit(): Promise<void> {
    await Promise.race([this.look(), sleep(PATIENCE_MS, undefined, { ref: false })]);
    if (this.judged.refused.length > 0) throw new Error(['This Redis cannot be used:', ...this.judged.refused].join('\n  '));
    this.redis.on('ready', () => void this.look());
  }

  private async look(): Promise<void> {
    try {
      const before = [...this.judged.refused, ...this.judged.warned];
      this.judged = await checkStore(this.redis);
      for (const line of this.judged.refused) if (!before.includes(line)) this.logger.error(line);
      for (const line of this.judged.warned) if (!before.includes(line)) this.logger.warn(line);
    } catch {
      // It has gone again: it will be ready again.
    }
  }
}
