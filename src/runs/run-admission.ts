import { Inject, Injectable } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { ConsiliumError } from '../domain/errors.js';
import type { RunHead } from '../domain/run.js';
import { tenantOf } from '../domain/tenant.js';
import { LogPort, type RunState } from '../event-log/log-port.js';
import type { RunClosing } from '../event-log/run-lifecycle.js';
import { listsOf, RunIndex } from '../event-log/run-index.js';
import { DAY_SECONDS } from '../lib/day.js';
import { tenantKeys } from '../redis/keys.js';
import { REDIS } from '../redis/redis-token.js';
import {
  dayOf,
  ENTER,
  openEntries,
  PLACE,
  reserved,
  type OpenEntry,
  type Spending,
} from './open-runs.js';
import { type OrderedRun, RunOrder } from './run-order.js';
import { RunSettlement } from './run-settlement.js';

const RETRY_SECONDS = 5;

type TenantLimit = 'open_runs' | 'tokens' | 'cost';

/** A run that is entered. */
type EnteredRun = OrderedRun & Pick<RunHead, 'topologyId'>;

/** The state of a tenant when a place among its open runs is reserved, all at one moment. */
interface Entry {
  /** It had no place before. */
  isNew: boolean;
  /** Number of open runs, including this one. */
  count: number;
  /** Each with the time in ms when it was entered; only if there are limits of a day. */
  open: OpenEntry[];
  /** Of those that were open before, read at the same time. */
  states: ReadonlyMap<string, RunState | undefined>;
  /** Of the runs that have ended today and are not open any more. */
  spent: Spending;
}

/**
 * Enters new runs into the index, if the limits of their tenant allow it: open runs, and tokens and
 * cost of a day (UTC). Runs are counted from the moment they are entered, so that concurrent ones
 * cannot exceed a limit; the logs show which have ended. Contract section 10. Without
 * authentication there are no limits.
 */
@Injectable()
export class RunAdmission implements RunClosing {
  private readonly used = new Map<TenantLimit, number>();
  private readonly settlement: RunSettlement;

  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    @Inject(CONFIG) private readonly config: Config,
    private readonly log: LogPort,
    private readonly index: RunIndex,
    private readonly order: RunOrder,
  ) {
    this.settlement = new RunSettlement(redis, config.redisPrefix, log, index);
  }

  /**
   * Idempotent: a run that has a log keeps its place.
   * @param isNew its id was made for this call: there can be no log, and it is entered without
   *   asking for one
   * @returns the place of the run in the queues, see `RunOrder`
   * @throws ConsiliumError RATE_LIMITED
   */
  async enter(runId: string, head: EnteredRun, isNew = false): Promise<Pick<RunHead, 'order'>> {
    if (isNew) return this.enterNew(runId, head);
    const order = await this.admit(runId, head);
    const [number] = await Promise.all([order(), this.index.add(runId, listsOf(head), head.kind)]);
    return number === undefined ? {} : { order: number };
  }

  /**
   * Counts the end of a run immediately; a run whose end is not noticed here is counted by a later
   * one.
   */
  async beforeClose(runId: string): Promise<void> {
    if (!this.isLimited) return;
    const state = await this.log.state(runId);
    if (state) await this.settlement.settle(tenantOf(state.head.owner), runId, state);
  }

  /** The highest used share of each limit when the tenant started a run; reset by this call. */
  takeUsed(): Map<TenantLimit, number> {
    const used = new Map(this.used);
    this.used.clear();
    return used;
  }

  /** The limits of each tenant, without those that are off. */
  get limits(): Map<TenantLimit, number> {
    const { auth, maxOpenRuns, tokensPerDay, costPerDay } = this.config;
    const all: [TenantLimit, number][] = [
      ['open_runs', maxOpenRuns],
      ['tokens', tokensPerDay],
      ['cost', costPerDay],
    ];
    return new Map(all.filter(([, most]) => auth !== 'none' && most > 0));
  }

  private note(limit: TenantLimit, usage: number, most: number): void {
    if (most > 0) this.used.set(limit, Math.max(this.used.get(limit) ?? 0, usage / most));
  }

  private get isLimited(): boolean {
    return this.config.auth !== 'none' && this.config.maxOpenRuns + this.daily > 0;
  }

  /** Whether there are limits of a day. */
  private get daily(): number {
    return this.config.tokensPerDay + this.config.costPerDay;
  }

  /**
   * Waits for Redis once: the entry is removed if the run is refused, and expires without a log if
   * this process dies.
   */
  private async enterNew(runId: string, head: EnteredRun): Promise<Pick<RunHead, 'order'>> {
    const tenant = tenantOf(head.owner);
    const lists = listsOf(head);
    const { open } = this.keysOf(tenant);
    const [entry, order] = await Promise.all([
      this.isLimited ? this.place(tenant, runId, runId) : undefined,
      this.order.next(head),
      this.index.add(runId, lists, head.kind),
    ]);
    if (entry)
      await this.check(tenant, runId, entry).catch(async (error: unknown) => {
        await Promise.all([
          this.redis.zrem(open, runId),
          this.index.remove(runId, lists),
          this.order.giveBack(head, order),
        ]);
        throw error;
      });
    return { order };
  }

  /** @returns what gives the run its number */
  private async admit(runId: string, head: OrderedRun): Promise<() => Promise<number | undefined>> {
    const tenant = tenantOf(head.owner);
    const { open } = this.keysOf(tenant);
    // In this order: a run that was counted before its place was reserved is known.
    const [entry, known] = await Promise.all([
      this.isLimited ? this.place(tenant, runId, reserved(runId)) : undefined,
      this.log.state(runId),
    ]);
    const leave = async () => {
      if (entry?.isNew) await this.redis.zrem(open, reserved(runId));
    };
    if (known) {
      await leave();
      return () => Promise.resolve(known.head.order);
    }
    if (entry)
      await this.check(tenant, runId, entry).catch(async (error: unknown) => {
        await leave();
        throw error;
      });
    return async () => {
      const [order] = await Promise.all([
        this.order.next(head),
        entry && this.redis.eval(ENTER, 1, open, runId),
      ]);
      return order;
    };
  }

  private keysOf(tenant: string) {
    return tenantKeys(this.config.redisPrefix, tenant);
  }

  /**
   * The count is that of the moment of its own entry: of several at once, each has another one.
   * @param name under which it is entered
   */
  private async place(tenant: string, runId: string, name: string): Promise<Entry> {
    const { open, usage } = this.keysOf(tenant);
    const now = this.index.now();
    const isDaily = this.daily > 0;
    const [entered, states] = await Promise.all([
      this.redis.eval(PLACE, 2, open, usage(dayOf(now)), runId, name, now, Number(isDaily)),
      this.settlement.expectedStates(tenant),
    ]);
    const [added, count, entries = [], [tokens, cost] = []] = entered as [
      number,
      number,
      string[]?,
      (string | null)[]?,
    ];
    const found = openEntries(entries);
    if (isDaily) this.settlement.expect(tenant, found);
    return {
      isNew: added === 1,
      count,
      open: found,
      states,
      spent: { tokens: Number(tokens ?? 0), cost: Number(cost ?? 0) },
    };
  }

  /** @throws ConsiliumError RATE_LIMITED */
  private async check(tenant: string, runId: string, entry: Entry): Promise<void> {
    const { maxOpenRuns } = this.config;
    const ended = this.daily > 0 ? await this.checkDay(tenant, runId, entry) : 0;
    const count = entry.count - ended;
    this.note('open_runs', count, maxOpenRuns);
    if (maxOpenRuns === 0 || count <= maxOpenRuns) return;
    const { open } = this.keysOf(tenant);
    const all = openEntries(await this.redis.zrange(open, '0', '-1', 'WITHSCORES'));
    await (
      await this.settlement.settleAll(tenant, all)
    ).settled;
    if ((await this.redis.zcard(open)) <= maxOpenRuns) return;
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

  /** @returns how many of the open runs have ended @throws ConsiliumError RATE_LIMITED */
  private async checkDay(tenant: string, runId: string, entry: Entry): Promise<number> {
    const { open, spent, states } = entry;
    const own = [runId, reserved(runId)];
    const others = open.filter((each) => !own.includes(each.runId));
    const { ended, settled, ...running } = await this.settlement.settleAll(tenant, others, states);
    // Until then their logs contain their usage; if this fails, the next run settles them.
    settled.catch(() => undefined);
    const seconds = Math.floor(this.index.now() / 1_000);
    for (const [what, limit] of [
      ['tokens', this.config.tokensPerDay],
      ['cost', this.config.costPerDay],
    ] as const) {
      const used = spent[what] + running[what];
      this.note(what, used, limit);
      if (limit > 0 && used >= limit) {
        const left = DAY_SECONDS - (seconds % DAY_SECONDS);
        throw new ConsiliumError(
          'RATE_LIMITED',
          `Your tenant has used its ${what} of today (${limit}); it may start runs again tomorrow (UTC)`,
          {
            retryAfterSeconds: left,
            headers: {
              RateLimit: `"${what}";r=0;t=${left}`,
              'RateLimit-Policy': `"${what}";q=${limit};w=${DAY_SECONDS}`,
            },
            details: { limit, usage: used },
            limit: what,
          },
        );
      }
    }
    return ended;
  }
}
