import { Inject, Injectable, Logger } from '@nestjs/common';
import { Redis } from 'ioredis';
import { v7 as uuid } from 'uuid';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { ConsiliumError } from '../domain/errors.js';
import { isTerminalStatus } from '../domain/run-status.js';
import { narrowTopology } from '../domain/topology/narrow-topology.js';
import { LogPort } from '../event-log/log-port.js';
import { scheduledRunsKey } from '../redis/keys.js';
import { REDIS } from '../redis/redis-token.js';
import { Idempotency } from '../runs/idempotency.js';
import { RunStarter } from '../runs/run-starter.js';
import { Topologies } from '../topologies/topologies.js';
import type { Schedule } from './schedules-file.js';

/** Remembers the last run of each schedule. */
@Injectable()
export class LastRuns {
  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  async of(schedule: string): Promise<string | undefined> {
    const key = scheduledRunsKey(this.config.redisPrefix);
    return (await this.redis.hget(key, schedule)) ?? undefined;
  }

  async set(schedule: string, runId: string): Promise<void> {
    await this.redis.hset(scheduledRunsKey(this.config.redisPrefix), schedule, runId);
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
   * Starts the run of one moment of a schedule, unless the run before goes on. Repeated calls for a moment start one run.
   * @param moment identifies it
   * @returns the run, or undefined if none was started
   */
  async start(schedule: Schedule, moment: string): Promise<string | undefined> {
    const { id, tenant, topology, message, nodes, teams } = schedule;
    const runId = await this.idempotency.runOf(
      moment,
      { caller: `${tenant}/${id}`, path: 'schedules' },
      { body: schedule, runId: uuid(), resumes: false },
    );
    const before = await this.last.of(id);
    const goesOn = before !== undefined && before !== runId && (await this.isOpen(before));
    // A process that died may have accepted the run of this moment without remembering it.
    if (goesOn && !(await this.log.state(runId))) {
      this.logger.warn({
        msg: 'the run before of a schedule goes on',
        schedule: id,
        runId: before,
      });
      return undefined;
    }
    const stored = await this.topologies.get(tenant, topology);
    const wanted = { userMessage: message, nodes, teams, startedBy: `schedule ${id}` };
    const accepted = await this.starter.diagnosis(runId, stored, wanted);
    // A later moment has started its run already: that one stays the last.
    if (!goesOn) await this.last.set(id, runId);
    await accepted.start();
    return runId;
  }

  /** Why a schedule could not start a run now: its topology, a node or a team of it is not there. Undefined if it could. */
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

  private async isOpen(runId: string): Promise<boolean> {
    const state = await this.log.state(runId);
    return state !== undefined && !isTerminalStatus(state.status);
  }
}
