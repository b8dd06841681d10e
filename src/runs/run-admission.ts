import { Inject, Injectable } from '@nestjs/common';
import type { ChainableCommander, Redis } from 'ioredis';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { ConsiliumError } from '../domain/errors.js';
import type { RunHead } from '../domain/run.js';
import { isTerminalStatus } from '../domain/run-status.js';
import { tenantOf } from '../domain/tenant.js';
import { LogPort, type RunState } from '../event-log/log-port.js';
import type { RunClosing } from '../event-log/run-lifecycle.js';
import { listsOf, RunIndex } from '../event-log/run-index.js';
import { DAY_SECONDS } from '../lib/day.js';
import { allOf } from '../redis/all-of.js';
import { tenantKeys } from '../redis/keys.js';
import { REDIS } from '../redis/redis-token.js';
import {
  dayOf,
  ENTER,
  openEntries,
  RESERVE,
  reserved,
  SETTLE,
  usageOf,
  type OpenEntry,
  type Spent,
} from './open-runs.js';
import { RunOrder } from './run-order.js';

const RETRY_SECONDS = 5;
/** A run that has no log after so long was never accepted. */
const SETTLE_MS = 60_000;
const KEPT_SECONDS = 40 * DAY_SECONDS;

type TenantLimit = 'open_runs' | 'tokens' | 'cost';

/** What a run finds when a place among the open ones of its tenant is reserved for it, all at one moment. */
interface Entry {
  /** It had no place before. */
  isNew: boolean;
  /** Open runs, with this one. */
  count: number;
  /** Each with the time in ms when it was entered; only where there are limits of a day. */
  open: OpenEntry[];
  /** Of the runs that have ended today and are not open any more. */
  spent: Spent;
}

/**
 * Enters new runs into the index, if the limits of their tenant allow it: open runs, and tokens and cost of a day (UTC). Runs
 * are counted from the moment they are entered, so that several at once do not get past a limit; the logs say which have ended.
 * Contract section 10. Without authentication there are no limits.
 */
@Injectable()
export class RunAdmission implements RunClosing {
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
   * @param isNew its id was made for this call: there can be no log, and it is entered without asking for one
   * @returns the place of the run in the queues, see `RunOrder`
   * @throws ConsiliumError RATE_LIMITED
   */
  async enter(
    runId: string,
    head: Pick<RunHead, 'kind' | 'topologyId' | 'owner'>,
    isNew = false,
  ): Promise<Pick<RunHead, 'order'>> {
    if (isNew && this.config.auth !== 'none') return this.enterNew(runId, head);
    const order = this.config.auth === 'none' ? undefined : await this.admit(runId, head);
    const [number] = await Promise.all([
      order?.(),
      this.index.add(runId, listsOf(head), head.kind),
    ]);
    return number === undefined ? {} : { order: number };
  }

  /** Counts the end of a run at once; a run whose end is not noticed here is counted by a later one. */
  async beforeClose(runId: string): Promise<void> {
    if (!this.isLimited) return;
    const state = await this.log.state(runId);
    if (state) await this.settle(tenantOf(state.head.owner), runId, state);
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

  private get isLimited(): boolean {
    return this.config.auth !== 'none' && this.config.maxOpenRuns + this.daily > 0;
  }

  /** Whether there are limits of a day. */
  private get daily(): number {
    return this.config.tokensPerDay + this.config.costPerDay;
  }

  /** Waits for Redis once: what was entered is taken back if the run is refused, and forgotten without a log if this process dies. */
  private async enterNew(
    runId: string,
    head: Pick<RunHead, 'kind' | 'topologyId' | 'owner'>,
  ): Promise<Pick<RunHead, 'order'>> {
    const [tenant, lists] = [tenantOf(head.owner), listsOf(head)];
    const { open } = this.keysOf(tenant);
    const [entry, order] = await Promise.all([
      this.isLimited
        ? this.place(tenant, (all) => all.zadd(open, this.index.now(), runId))
        : undefined,
      this.order.next(head),
      this.index.add(runId, lists, head.kind),
    ]);
    if (entry)
      await this.check(tenant, runId, entry).catch(async (error: unknown) => {
        await Promise.all([
          this.redis.zrem(open, runId),
          this.index.remove(runId, lists),
          order !== undefined && this.order.giveBack(head, order),
        ]);
        throw error;
      });
    return order === undefined ? {} : { order };
  }

  /** @returns what gives the run its number */
  private async admit(
    runId: string,
    head: Pick<RunHead, 'kind' | 'owner'>,
  ): Promise<() => Promise<number | undefined>> {
    const tenant = tenantOf(head.owner);
    const { open } = this.keysOf(tenant);
    // In this order: a run that was counted before its place was reserved is known.
    const [entry, known] = await Promise.all([
      this.isLimited
        ? this.place(tenant, (all) => all.eval(RESERVE, 1, open, runId, this.index.now()))
        : undefined,
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
   * @param enter adds the command that enters a run, or reserves its place, and returns 1 if it had none
   */
  private async place(
    tenant: string,
    enter: (entering: ChainableCommander) => ChainableCommander,
  ): Promise<Entry> {
    const { open, usage } = this.keysOf(tenant);
    const entering = enter(this.redis.multi()).zcard(open);
    if (this.daily > 0)
      entering
        .zrange(open, '0', '-1', 'WITHSCORES')
        .hmget(usage(dayOf(this.index.now())), 'tokens', 'cost');
    const [added, count, entries = [], [tokens, cost] = []] = (await allOf(entering)) as [
      number,
      number,
      string[]?,
      (string | null)[]?,
    ];
    return {
      ...{ isNew: added === 1, count, open: openEntries(entries) },
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
    await this.settleAll(
      tenant,
      openEntries(await this.redis.zrange(open, '0', '-1', 'WITHSCORES')),
    );
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
  private async checkDay(tenant: string, runId: string, { open, spent }: Entry): Promise<number> {
    const own = [runId, reserved(runId)];
    const others = open.filter((each) => !own.includes(each.runId));
    const { ended, ...running } = await this.settleAll(tenant, others);
    const seconds = Math.floor(this.index.now() / 1_000);
    for (const [what, limit] of [
      ['tokens', this.config.tokensPerDay],
      ['cost', this.config.costPerDay],
    ] as const) {
      const used = spent[what] + running[what];
      this.note(what, used, limit);
      if (limit > 0 && used >= limit)
        throw new ConsiliumError(
          'RATE_LIMITED',
          `Your tenant has used its ${what} of today (${limit}); it may start runs again tomorrow (UTC)`,
          {
            retryAfterSeconds: DAY_SECONDS - (seconds % DAY_SECONDS),
            details: { limit, usage: used },
            limit: what,
          },
        );
    }
    return ended;
  }

  /** Counts those of the runs that have ended to this day. @returns how many these are, and what all of them have spent */
  private async settleAll(
    tenant: string,
    open: readonly OpenEntry[],
  ): Promise<Spent & { ended: number }> {
    const states = await Promise.all(open.map(({ runId }) => this.log.state(runId)));
    const isLost = ({ enteredAt }: OpenEntry) => this.index.now() - enteredAt > SETTLE_MS;
    const settled = await Promise.all(
      open.flatMap((entry, i) =>
        states[i] || isLost(entry) ? [this.settle(tenant, entry.runId, states[i])] : [],
      ),
    );
    const usages = states.map((state) => usageOf(state));
    return {
      ended: settled.filter((isEnded) => isEnded).length,
      tokens: usages.reduce((sum, { tokens }) => sum + tokens, 0),
      cost: usages.reduce((sum, { cost }) => sum + cost, 0),
    };
  }

  /**
   * Counts a run that has ended to this day, once.
   * @param state of a run that was never accepted: none
   * @returns whether it has ended
   */
  private async settle(
    tenant: string,
    runId: string,
    state: RunState | undefined,
  ): Promise<boolean> {
    if (state && !isTerminalStatus(state.status)) return false;
    const { open, usage } = this.keysOf(tenant);
    const { tokens, cost } = usageOf(state);
    const day = usage(dayOf(this.index.now()));
    await this.redis.eval(SETTLE, 2, open, day, runId, tokens, cost, KEPT_SECONDS);
    return true;
  }
}
