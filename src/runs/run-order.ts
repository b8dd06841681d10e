import { Inject, Injectable } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import type { RunHead } from '../domain/run.js';
import { tenantOf } from '../domain/tenant.js';
import { LogPort } from '../event-log/log-port.js';
import type { RunClosing } from '../event-log/run-lifecycle.js';
import { RunIndex } from '../event-log/run-index.js';
import { LAST_ORDER } from '../queues/job-ids.js';
import { allOf } from '../redis/all-of.js';
import { runOrderKey } from '../redis/keys.js';
import { REDIS } from '../redis/redis-token.js';

/**
 * Longer than any run: if none was accepted or has completed for so long, none is open, and the
 * numbers start again at 1.
 */
const KEPT_SECONDS = 7_200;
/**
 * From here on the numbers of all tenants start again if a number is drawn while no run is open.
 */
const HIGH = LAST_ORDER / 2;
/**
 * The member whose score is the highest number of a run that has completed. No tenant has this
 * name.
 */
const COMPLETED = '';

/**
 * Draws the number of a tenant's next run. KEYS: numbers. ARGV: tenant, highest number, seconds to
 * live, numbers that the run takes. Tenants whose last number was passed are forgotten.
 */
const NEXT = `
local completed = tonumber(redis.call('ZSCORE', KEYS[1], '') or '0')
local last = tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]) or '0')
local number = math.min(math.max(completed, last) + 1, tonumber(ARGV[2]))
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', '(' .. completed)
redis.call('ZADD', KEYS[1], number + ARGV[4] - 1, ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[3])
return number`;

/**
 * Takes the last numbers of a tenant back. KEYS: numbers. ARGV: tenant, first number, how many.
 */
const GIVE_BACK = `
if tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]) or '0') == ARGV[2] + ARGV[3] - 1 then
  redis.call('ZADD', KEYS[1], ARGV[2] - 1, ARGV[1])
end`;

/** A run that gets a number. */
export interface OrderedRun extends Pick<RunHead, 'kind' | 'owner'> {
  /** How many numbers it takes, see `numbersOf`. */
  numbers: number;
}

/**
 * Gives each run its place in the queues, so that tenants, and the runs of one tenant, share them:
 * start-time fair queueing (Goyal, Vin, Cheng: SIGCOMM 1996), four workers being one unit of work.
 * The next number of a tenant follows its own last one and that of the latest run that has
 * completed: a tenant with many waiting runs has high numbers, and the first run of another one is
 * next. The runs of a tenant begin in the order of their acceptance. Chats and diagnoses have
 * numbers of their own, because they wait in different queues. See
 * docs/decisions/0027-tenants-share-the-queues.md. Without authentication there is one tenant.
 */
@Injectable()
export class RunOrder implements RunClosing {
  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    @Inject(CONFIG) private readonly config: Pick<Config, 'redisPrefix'>,
    private readonly index: RunIndex,
    private readonly log: LogPort,
  ) {}

  /** The number of a new run. */
  async next({ kind, owner, numbers }: OrderedRun): Promise<number> {
    const key = runOrderKey(this.config.redisPrefix, kind);
    const args = [tenantOf(owner), LAST_ORDER, KEPT_SECONDS, numbers];
    const draw = async () => Number(await this.redis.eval(NEXT, 1, key, ...args));
    const number = await draw();
    if (number < HIGH || (await this.index.countOpen()) > 0) return number;
    await this.redis.del(key);
    return draw();
  }

  /**
   * A run that was refused needs no number. If its tenant has drawn another one since, this one
   * remains unused.
   */
  async giveBack({ kind, owner, numbers }: OrderedRun, number: number): Promise<void> {
    const key = runOrderKey(this.config.redisPrefix, kind);
    await this.redis.eval(GIVE_BACK, 1, key, tenantOf(owner), number, numbers);
  }

  async beforeClose(runId: string): Promise<void> {
    const { status, head } = (await this.log.state(runId)) ?? {};
    if (status !== 'completed' || head?.order === undefined) return;
    const key = runOrderKey(this.config.redisPrefix, head.kind);
    const completed = this.redis.multi().zadd(key, 'GT', head.order, COMPLETED);
    await allOf(completed.expire(key, KEPT_SECONDS));
  }
}
