import { Inject, Injectable } from '@nestjs/common';
import { Redis } from 'ioredis';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { REDIS } from '../redis/redis-token.js';
import { RunControl } from '../runs/run-control.js';
import type { AcceptedTurn } from './turns.js';

/** No turn takes longer. */
const KEPT_SECONDS = 3_700;

/** The one turn that a caller of the oracle panel has under way. */
@Injectable()
export class OracleTurns {
  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    @Inject(CONFIG) private readonly config: Config,
    private readonly control: RunControl,
  ) {}

  /** A turn begins: the one before it is cancelled. One that had begun before has no place where there is a newer one. */
  async begin(owner: string, { runId, joins }: AcceptedTurn): Promise<void> {
    if (joins) return void (await this.redis.set(this.key(owner), runId, 'EX', KEPT_SECONDS, 'NX'));
    const before = await this.redis.set(this.key(owner), runId, 'EX', KEPT_SECONDS, 'GET');
    if (before !== null && before !== runId)
      await this.control.cancel(before, 'A new message was sent');
  }

  /** @returns whether there was one to cancel */
  async cancel(owner: string): Promise<boolean> {
    const runId = await this.redis.getdel(this.key(owner));
    if (runId === null) return false;
    return (await this.control.cancel(runId, 'Cancelled by user'))?.now === true;
  }

  private key(owner: string): string {
    return `${this.config.redisPrefix}:{caller:${owner}}:oracle`;
  }
}
