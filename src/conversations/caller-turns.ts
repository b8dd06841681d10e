import { Inject, Injectable } from '@nestjs/common';
import { Redis } from 'ioredis';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { REDIS } from '../redis/redis-token.js';
import { RunControl } from '../runs/run-control.js';
import { callerKeys } from '../redis/keys.js';
import type { AcceptedTurn } from './oracle-request.js';

/** Maximum time of a turn. */
const KEPT_SECONDS = 3_700;

/** The one exclusive turn of each caller that is running. Contract section 8: the oracle panel. */
@Injectable()
export class CallerTurns {
  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    @Inject(CONFIG) private readonly config: Config,
    private readonly control: RunControl,
  ) {}

  /**
   * Records a turn and cancels the one before it. A turn that is joined does not replace a newer
   * one.
   */
  async begin(owner: string, { runId, joins }: AcceptedTurn): Promise<void> {
    if (joins) return void (await this.redis.set(this.key(owner), runId, 'EX', KEPT_SECONDS, 'NX'));
    const before = await this.redis.set(this.key(owner), runId, 'EX', KEPT_SECONDS, 'GET');
    if (before !== null && before !== runId)
      await this.control.cancel(before, 'A new message was sent');
  }

  /** Cancels the turn of a caller. @returns whether one was running */
  async cancel(owner: string): Promise<boolean> {
    const runId = await this.redis.getdel(this.key(owner));
    if (runId === null) return false;
    return (await this.control.cancel(runId, 'Cancelled by user'))?.now === true;
  }

  private key(owner: string): string {
    return callerKeys(this.config.redisPrefix, owner).oracle;
  }
}
