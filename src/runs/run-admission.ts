import { Inject, Injectable } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { ConsiliumError } from '../domain/errors.js';
import type { RunHead } from '../domain/run.js';
import { isTerminalStatus } from '../domain/run-status.js';
import { tenantOf } from '../domain/tenant.js';
import { LogPort } from '../event-log/log-port.js';
import { listsOf, RunIndex } from '../event-log/run-index.js';
import { DAY_SECONDS } from '../lib/day.js';
import { allOf } from '../redis/all-of.js';
import { tenantKeys } from '../redis/keys.js';
import { REDIS } from '../redis/redis-token.js';
import { RunOrder } from './run-order.js';

const RETRY_SECONDS = 5;
/** A run that has no log after so long was never accepted. */
const SETTLE_MS = 60_000;
const KEPT_SECONDS = 40 * DAY_SECONDS;

/**
 * Moves the usage of a run that has ended to a day, once. KEYS: open runs, usage of the day. ARGV: run, tokens, cost, seconds to
 * live.
 */
const SETTLE = `
if redis.call('ZREM', KEYS[1], ARGV[1]) == 0 then return end
redis.call('HINCRBY', KEYS[2], 'tokens', ARGV[2])
redis.call('HINCRBYFLOAT', KEYS[2], 'cost', ARGV[3])
redis.call('EXPIRE', KEYS[2], ARGV[4])`;

type TenantLimit = 'open_runs' | 'tokens' | 'cost';

interface Spent {
  tokens: number;
  cost: number;
}

/**
 * Enters new runs into the index, if the limits of their tenant allow it: open runs, and tokens and cost of a day (UTC). Runs
 * are counted from the moment they are entered, so that several at once do not get past a limit; the logs say which have ended.
 * Contract section 10. Without authentication there are no limits.
 */
@Injectable()
export class RunAdmission {
  private readonly used = new Map<TenantLimit, number>();

  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    @Inject(CONFIG) private readonly config: Config,
    private readonly log: LogPort,
    private readonly index: RunIndex,
    private readonly order: RunOrder,
  ) {}

  /**
   * Idempotent: a run that has a log keeps its place.
   * @returns the place of the run in the queues, see `RunOrder`
   * @throws ConsiliumError RATE_LIMITED
   */
  async enter(
    runId: string,
    head: Pick<RunHead, 'kind' | 'topologyId' | 'owner'>,
  ): Promise<Pick<RunHead, 'order'>> {
    const { auth, maxOpenRuns, tokensPerDay, costPerDay } = this.config;
    const limited = auth !== 'none' && maxOpenRuns + tokensPerDay + costPerDay > 0;
    const known = auth === 'none' ? undefined : await this.log.state(runId);
    if (limited && !known) await this.take(runId, tenantOf(head.owner));
    const order = known ? known.head.order : await this.order.next(head);
    await this.index.add(runId, listsOf(head));
    return order === undefined ? {} : { order };
  }

  /** The highest share of each limit that a tenant had used when it started a run; forgotten by this call. */
  takeUsed(): Map<TenantLimit, number> {
    const used = new Map(this.used);
    this.used.clear();
    return used;
  }

  private note(limit: TenantLimit, usage: number, most: number): void {
    if (most > 0) this.used.set(limit, Math.max(this.used.get(limit) ?? 0, usage / most));
  }

  private async take(runId: string, tenant: string): Promise<void> {
    const { maxOpenRuns, tokensPerDay, costPerDay } = this.config;
    if (tokensPerDay + costPerDay > 0) await this.checkDay(tenant);
    const { open } = tenantKeys(this.config.redisPrefix, tenant);
    // The count at the moment of its own entry: of several at once, each has another one.
    const [, count] = await allOf(
      this.redis.multi().zadd(open, 'NX', Date.now(), runId).zcard(open),
    );
    this.note('open_runs', Number(count), maxOpenRuns);
    if (maxOpenRuns === 0 || Number(count) <= maxOpenRuns) return;
    await this.settle(tenant);
    if ((await this.redis.zcard(open)) <= maxOpenRuns) return;
    await this.redis.zrem(open, runId);
    throw new ConsiliumError(
      'RATE_LIMITED',
      `Your tenant may have ${maxOpenRuns} open runs; try again when one has ended`,
      {
        retryAfterSeconds: RETRY_SECONDS,
        details: { limit: maxOpenRuns, usage: maxOpenRuns },
        limit: 'open_runs',
      },
    );
  }

  /** @throws ConsiliumError RATE_LIMITED */
  private async checkDay(tenant: string): Promise<void> {
    const now = new Date();
    const running = await this.settle(tenant);
    const { usage } = tenantKeys(this.config.redisPrefix, tenant);
    const [tokens, cost] = await this.redis.hmget(usage(dayOf(now)), 'tokens', 'cost');
    const spent = {
      tokens: Number(tokens ?? 0) + running.tokens,
      cost: Number(cost ?? 0) + running.cost,
    };
    for (const [what, limit] of [
      ['tokens', this.config.tokensPerDay],
      ['cost', this.config.costPerDay],
    ] as const) {
      this.note(what, spent[what], limit);
      if (limit > 0 && spent[what] >= limit)
        throw new ConsiliumError(
          'RATE_LIMITED',
          `Your tenant has used its ${what} of today (${limit}); it may start runs again tomorrow (UTC)`,
          {
            retryAfterSeconds: DAY_SECONDS - (Math.floor(now.getTime() / 1_000) % DAY_SECONDS),
            details: { limit, usage: spent[what] },
            limit: what,
          },
        );
    }
  }

  /** Counts runs that have ended to this day. @returns what those that are open have spent so far */
  private async settle(tenant: string): Promise<Spent> {
    const { open, usage } = tenantKeys(this.config.redisPrefix, tenant);
    const found = await this.redis.zrange(open, '0', '-1', 'WITHSCORES');
    const runIds = found.filter((_, i) => i % 2 === 0);
    const states = await Promise.all(runIds.map((runId) => this.log.state(runId)));
    const running: Spent = { tokens: 0, cost: 0 };
    const day = usage(dayOf(new Date()));
    for (const [i, runId] of runIds.entries()) {
      const state = states[i];
      const { total_tokens: tokens = 0, cost = 0 } = state?.usage ?? {};
      const isLost = !state && Date.now() - Number(found[2 * i + 1]) > SETTLE_MS;
      if (isLost || (state && isTerminalStatus(state.status)))
        await this.redis.eval(SETTLE, 2, open, day, runId, tokens, cost, KEPT_SECONDS);
      else {
        running.tokens += tokens;
        running.cost += cost;
      }
    }
    return running;
  }
}

const dayOf = (now: Date): string => now.toISOString().slice(0, 10);
