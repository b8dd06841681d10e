import type { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import { isTerminalStatus } from '../domain/run-status.js';
import type { LogPort, RunState } from '../event-log/log-port.js';
import type { RunIndex } from '../event-log/run-index.js';
import { DAY_SECONDS } from '../lib/day.js';
import { tenantKeys } from '../redis/keys.js';
import { dayOf, SETTLE, usageOf, type OpenEntry, type Spending } from './open-runs.js';

/** A run without a log after this time was never accepted. */
const SETTLE_MS = 60_000;
const KEPT_SECONDS = 40 * DAY_SECONDS;
/** Maximum runs of a tenant whose states are read before it is known that they are open. */
const MOST_EXPECTED = 100;
const MOST_TENANTS = 1_000;

type States = ReadonlyMap<string, RunState | undefined>;

/** Reads the usage of open runs, and adds that of ended ones to the day of their tenant. */
export class RunSettlement {
  /** By tenant. */
  private readonly expected = new LRUCache<string, string[]>({ max: MOST_TENANTS });

  constructor(
    private readonly redis: Redis,
    private readonly prefix: string,
    private readonly log: LogPort,
    private readonly index: Pick<RunIndex, 'now'>,
  ) {}

  /** Notes the open runs: their states are needed when the next one is entered. */
  expect(tenant: string, open: readonly OpenEntry[]): void {
    this.expected.set(
      tenant,
      open.slice(0, MOST_EXPECTED).map(({ runId }) => runId),
    );
  }

  expectedStates(tenant: string): Promise<States> {
    return this.statesOf(this.expected.get(tenant) ?? []);
  }

  private async statesOf(runIds: readonly string[]): Promise<States> {
    const states = await Promise.all(runIds.map((runId) => this.log.state(runId)));
    return new Map(runIds.map((runId, i) => [runId, states[i]]));
  }

  /**
   * Adds those of the runs that have ended to this day.
   * @param known states that were read already
   * @returns their number, the usage of all of them, and a promise that settles when they are
   *   counted
   */
  async settleAll(
    tenant: string,
    open: readonly OpenEntry[],
    known: States = new Map(),
  ): Promise<Spending & { ended: number; settled: Promise<unknown> }> {
    const runIds = open.map(({ runId }) => runId);
    const others = await this.statesOf(runIds.filter((runId) => !known.has(runId)));
    const stateOf = (runId: string) => known.get(runId) ?? others.get(runId);
    const isLost = ({ enteredAt }: OpenEntry) => this.index.now() - enteredAt > SETTLE_MS;
    const ended = open.filter((entry) => {
      const state = stateOf(entry.runId);
      return state ? isTerminalStatus(state.status) : isLost(entry);
    });
    const usages = runIds.map((runId) => usageOf(stateOf(runId)));
    return {
      ended: ended.length,
      settled: Promise.all(ended.map(({ runId }) => this.settle(tenant, runId, stateOf(runId)))),
      tokens: usages.reduce((sum, { tokens }) => sum + tokens, 0),
      cost: usages.reduce((sum, { cost }) => sum + cost, 0),
    };
  }

  /**
   * Counts a run that has ended to this day, once.
   * @param state of a run that was never accepted: none
   */
  async settle(tenant: string, runId: string, state: RunState | undefined): Promise<void> {
    if (state && !isTerminalStatus(state.status)) return;
    const others = this.expected.get(tenant)?.filter((each) => each !== runId);
    this.expected.set(tenant, others);
    const { open, usage } = tenantKeys(this.prefix, tenant);
    const { tokens, cost } = usageOf(state);
    const day = usage(dayOf(this.index.now()));
    await this.redis.eval(SETTLE, 2, open, day, runId, tokens, cost, KEPT_SECONDS);
  }
}
