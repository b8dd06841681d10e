import { Injectable, Logger } from '@nestjs/common';
import { Behaviours } from '../behaviours/behaviours.js';
import type { DraftEvent } from '../domain/events/event.js';
import { hierarchy } from '../domain/topology/hierarchy.js';
import { resolveLimits, type LimitOverrides } from '../domain/limits/limits.js';
import { ANYBODY, type RunSpec } from '../domain/run.js';
import type { Topology } from '../domain/topology/topology.js';
import { LogPort } from '../event-log/log-port.js';
import { RunIndex } from '../event-log/run-index.js';
import { RuleSnapshots } from '../notifications/rule-snapshots.js';
import { RunControl } from './run-control.js';

/** What a diagnosis is started with. */
interface Wanted {
  userMessage: string;
  limits?: LimitOverrides | undefined;
  onDisconnect?: RunSpec['onDisconnect'] | undefined;
}

/** An accepted run, not queued yet. */
export interface Accepted {
  runId: string;
  spec: RunSpec;
  /** Queues it. Never throws: an accepted run without a job is found by the sweeper. */
  start: () => Promise<void>;
}

/** Accepts runs: index first, then log, then (by `start`) the job: decision 8. From the log on it will end. */
@Injectable()
export class RunStarter {
  private readonly logger = new Logger(RunStarter.name);

  constructor(
    private readonly log: LogPort,
    private readonly index: RunIndex,
    private readonly control: RunControl,
    private readonly behaviours: Behaviours,
    private readonly pins: RuleSnapshots,
  ) {}

  /** Harmless when repeated. @throws ConsiliumError VALIDATION_FAILED where the topology names a behaviour that is gone */
  async diagnosis(
    runId: string,
    { topology, version }: { topology: Topology; version: number },
    wanted: Wanted,
  ): Promise<Accepted> {
    const behaviours = this.behaviours.pin(topology);
    const spec: RunSpec = {
      kind: 'diagnosis',
      owner: ANYBODY,
      topology,
      topologyVersion: version,
      behaviours,
      blackboards: this.behaviours.blackboards(behaviours),
      userMessage: wanted.userMessage,
      limits: resolveLimits('diagnosis', topology.limits, wanted.limits),
      onDisconnect: wanted.onDisconnect ?? 'continue',
    };
    const data = {
      kind: 'diagnosis',
      topology_id: topology.id,
      topology_name: topology.name,
      user_message: spec.userMessage,
    } as const;
    return this.accept(runId, spec, [
      { name: 'lifecycle.started', source: null, data },
      { name: 'system.topology', source: null, data: { hierarchy: hierarchy(topology, version) } },
    ]);
  }

  /** Harmless when repeated. */
  async accept(runId: string, wanted: RunSpec, events: DraftEvent[]): Promise<Accepted> {
    const spec = { ...wanted, files: await this.pins.pin() };
    await this.control.expectFollower(runId, spec);
    await this.index.add(runId, spec.topology.id);
    await this.log.create(runId, spec, events);
    return { runId, spec, start: () => this.start(runId, spec) };
  }

  private async start(runId: string, spec: RunSpec): Promise<void> {
    try {
      await this.control.start(runId, spec);
    } catch (error) {
      this.logger.warn(
        `run ${runId} is accepted but not queued; the sweeper will: ${String(error)}`,
      );
    }
  }
}
