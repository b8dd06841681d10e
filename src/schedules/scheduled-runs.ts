import { Inject, Injectable, Logger } from '@nestjs/common';
import { Redis } from 'ioredis';
import { v7 as uuid } from 'uuid';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { ConsiliumError } from '../domain/errors.js';
import { isTerminalStatus } from '../domain/run-status.js';
import { narrowTopology } from '../domain/topology/narrow-topology.js';
import { LogPort } from '../event-log/log-port.js';
import { Clock } from '../lib/clock.js';
import { scheduledRunsKey } from '../redis/keys.js';
import { REDIS } from '../redis/redis-token.js';
import { Idempotency } from '../runs/idempotency.js';
import { RunStarter } from '../runs/run-starter.js';
import { Topologies } from '../topologies/topologies.js';
import type { Schedule } from './schedules-file.js';

/** ms: a run that is not in the log this long after its acceptance was begun was not accepted. */
const ACCEPT_MS = 60_000;

/** The runs of a schedule that a later moment must not overtake. */
export interface KnownRuns {
  /** The last one that was accepted. */
  last?: string;
  /** The last one whose acceptance was begun; `isFresh`: it may be under way. */
  begun?: { runId: string; isFresh: boolean };
}

/** No id of a schedule has a colon. */
const begunField = (schedule: string) => `begun:${schedule}`;

/** Stores the last runs of each schedule. */
@Injectable()
export class LastRuns {
  private readonly key: string;

  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    @Inject(CONFIG) { redisPrefix }: Config,
    private readonly clock: Clock,
  ) {
    this.key = scheduledRunsKey(redisPrefix);
  }

  async of(schedule: string): Promise<KnownRuns> {
    const [last, begun] = await this.redis.hmget(this.key, schedule, begunField(schedule));
    const [runId, since] = begun?.split(' ') ?? [];
    const isFresh = this.clock.now() - Number(since) < ACCEPT_MS;
    return { ...(last && { last }), ...(runId && { begun: { runId, isFresh } }) };
  }

  /**
   * Stored before a run is accepted, so that a process that dies in between leaves a trace of it.
   */
  async begin(schedule: string, runId: string): Promise<void> {
    await this.redis.hset(this.key, begunField(schedule), `${runId} ${this.clock.now()}`);
  }

  /** After it was accepted. */
  async set(schedule: string, runId: string): Promise<void> {
    await this.redis.hset(this.key, schedule, runId);
  }
}

/** Starts the diagnoses of schedules. */
@Injectable()
export class ScheduledRuns {
  private readonly logger = new Logger('Schedules');

  constructor(
    private readonly last: LastRuns,
    private readonly log: LogPort,
    private readonly topologies: Topologies,
    private readonly idempotency: Idempotency,
    private readonly starter: RunStarter,
  ) {}

  /**
   * Starts the run of one moment of a schedule, unless the previous run continues. Repeated calls
   * for a moment start one run.
   * @param moment identifies it
   * @returns the run, or undefined if none was started
   */
  async start(schedule: Schedule, moment: string): Promise<string | undefined> {
    const { id, tenant, topology, message, nodes, teams } = schedule;
    // Before the run is begun: a run without a topology must not delay the next moment.
    const stored = await this.topologies.get(tenant, topology);
    const runId = await this.idempotency.runOf(
      moment,
      { caller: `${tenant}/${id}`, path: 'schedules' },
      { body: schedule, runId: uuid(), resumes: false },
    );
    const before = await this.runBefore(id, runId);
    // A process that died may have accepted the run of this moment without storing it.
    if (before !== undefined && !(await this.log.state(runId))) {
      const msg = 'the run before of a schedule goes on';
      this.logger.warn({ msg, schedule: id, runId: before });
      return undefined;
    }
    if (before === undefined) await this.last.begin(id, runId);
    const wanted = { userMessage: message, nodes, teams, startedBy: `schedule ${id}` };
    const accepted = await this.starter.diagnosis(runId, stored, wanted);
    // A later moment has started its run already: that one remains the last.
    if (before === undefined) await this.last.set(id, runId);
    await accepted.start();
    return runId;
  }

  /**
   * Why a schedule could not start a run now: its topology, or a node or team of it, does not
   * exist. Undefined if it could.
   */
  async faultOf({ tenant, topology, nodes, teams }: Schedule): Promise<string | undefined> {
    try {
      const stored = await this.topologies.get(tenant, topology);
      const narrowed = narrowTopology(stored.topology, { nodes, teams });
      return 'faults' in narrowed
        ? narrowed.faults.map(({ path, message }) => `${path}: ${message}`).join('; ')
        : undefined;
    } catch (error) {
      if (error instanceof ConsiliumError && error.code === 'TOPOLOGY_NOT_FOUND')
        return error.message;
      throw error;
    }
  }

  /** A run of another moment that continues, or that another process may be accepting. */
  private async runBefore(schedule: string, runId: string): Promise<string | undefined> {
    const { last, begun } = await this.last.of(schedule);
    if (begun && begun.runId !== runId) {
      const state = await this.log.state(begun.runId);
      const goesOn = state ? !isTerminalStatus(state.status) : begun.isFresh;
      if (goesOn) return begun.runId;
    }
    if (last === undefined || last === runId) return undefined;
    const state = await this.log.state(last);
    return state && !isTerminalStatus(state.status) ? last : undefined;
  }
}
