import { Inject, Injectable } from '@nestjs/common';
import { Redis } from 'ioredis';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { Clock } from '../lib/clock.js';
import { DAY_SECONDS } from '../lib/day.js';
import { isTerminalStatus } from '../domain/run-status.js';
import { LogPort } from '../event-log/log-port.js';
import { allOf } from '../redis/all-of.js';
import { REDIS } from '../redis/redis-token.js';
import { callerKeys } from '../redis/keys.js';

const KEPT_SECONDS = 40 * DAY_SECONDS;
/** A message without a log after this time was never accepted. */
const SETTLE_MS = 60_000;

/**
 * Reserves a place for a message. KEYS: those that were answered, those that are being answered.
 * ARGV: run, limit, seconds to live.
 * @returns 0, or the number of reserved places if all are reserved
 */
const TAKE = `
if redis.call('SISMEMBER', KEYS[1], ARGV[1]) == 1 then return 0 end
if redis.call('SISMEMBER', KEYS[2], ARGV[1]) == 1 then return 0 end
local taken = redis.call('SCARD', KEYS[1]) + redis.call('SCARD', KEYS[2])
if taken >= tonumber(ARGV[2]) then return taken end
redis.call('SADD', KEYS[2], ARGV[1])
redis.call('EXPIRE', KEYS[2], ARGV[3])
return 0`;

/** When a turn was accepted, by its id (UUIDv7), whose time is that of Redis. ms since 1970. */
const acceptedAt = (runId: string): number => parseInt(runId.replace('-', '').slice(0, 12), 16);

/**
 * Counts how many messages of a caller were answered in a month (UTC). A message that is being
 * answered reserves a place, so that concurrent ones cannot exceed the limit, and frees it unless
 * it is answered: the logs decide.
 */
@Injectable()
export class MessageQuota {
  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    @Inject(CONFIG) private readonly config: Config,
    private readonly log: LogPort,
    private readonly clock: Clock,
  ) {}

  /**
   * Reserves a place for a message, in the month of its run. Harmless when repeated.
   * @returns the reason if there is no place
   */
  async take(caller: string, runId: string): Promise<{ usage: number; limit: number } | undefined> {
    const limit = this.config.monthlyMessages;
    if (limit === 0) return undefined;
    const [answered, open] = this.keys(caller, acceptedAt(runId));
    await this.settle(answered, open);
    const usage = await this.redis.eval(TAKE, 2, answered, open, runId, limit, KEPT_SECONDS);
    return usage === 0 ? undefined : { usage: usage as number, limit };
  }

  /** The message was not accepted. */
  async giveBack(caller: string, runId: string): Promise<void> {
    if (this.config.monthlyMessages > 0)
      await this.redis.srem(this.keys(caller, acceptedAt(runId))[1], runId);
  }

  /**
   * Counts the messages that were answered since, and frees the places of those that will not be.
   */
  private async settle(answered: string, open: string): Promise<void> {
    const runIds = await this.redis.smembers(open);
    const states = await Promise.all(runIds.map((runId) => this.log.state(runId)));
    const changes = this.redis.multi();
    for (const [i, runId] of runIds.entries()) {
      const state = states[i];
      if (state?.status === 'completed') changes.smove(open, answered, runId);
      else if (
        state ? isTerminalStatus(state.status) : this.clock.now() - acceptedAt(runId) > SETTLE_MS
      )
        changes.srem(open, runId);
    }
    if (changes.length > 0) await allOf(changes.expire(answered, KEPT_SECONDS));
  }

  private keys(caller: string, at: number): [answered: string, open: string] {
    const key = callerKeys(this.config.redisPrefix, caller).messages(
      new Date(at).toISOString().slice(0, 7),
    );
    return [key, `${key}:open`];
  }
}
