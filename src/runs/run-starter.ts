import { randomBytes } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { Behaviours } from '../behaviours/behaviours.js';
import type { DraftEvent } from '../domain/events/event.js';
import { hierarchy } from '../domain/topology/hierarchy.js';
import { resolveLimits } from '../domain/limits/limits.js';
import type { LimitOverrides } from '../domain/limits/limit-bounds.js';
import { headOf, ownerOfDiagnoses, type RunSpec } from '../domain/run.js';
import { narrowTopology } from '../domain/topology/narrow-topology.js';
import { redactSecrets } from '../lib/redact-secrets.js';
import { invalid } from '../http/parse.js';
import { LogPort } from '../event-log/log-port.js';
import { FileSnapshots } from '../notifications/file-snapshots.js';
import type { StoredTopology } from '../topologies/stored-topology.js';
import { numbersOf } from './job-order.js';
import { RunAdmission } from './run-admission.js';
import { RunControl } from './run-control.js';

/** The input of a diagnosis. */
interface DiagnosisInput {
  userMessage: string;
  /** See {@link RunSpec}. */
  task?: string | undefined;
  limits?: LimitOverrides | undefined;
  onDisconnect?: RunSpec['onDisconnect'] | undefined;
  /** Ids of nodes and names of teams to examine; neither: all. */
  nodes?: string[] | undefined;
  teams?: string[] | undefined;
  startedBy?: string | undefined;
  traceparent?: string | undefined;
  /** Its agents may ask to change things. */
  repair?: boolean | undefined;
  /** Events that follow the first two: the origin of the run. */
  notes?: DraftEvent[] | undefined;
  /** The id of the run was made for this call. */
  isNew?: boolean | undefined;
}

type DiagnosedTopology = Pick<StoredTopology, 'topology' | 'version' | 'tenant'>;

/** An accepted run that is not queued yet. */
export interface AcceptedRun {
  runId: string;
  spec: RunSpec;
  /**
   * Queues the run, which begins after a delay in ms. Never throws: the sweeper finds accepted runs
   * without a job.
   */
  start: (delayMs?: number) => Promise<void>;
}

/**
 * Accepts runs: writes the index, the log and (in `start`) the job, in this order:
 * docs/decisions/0008-order-across-keys.md. A run that is in the log will end.
 */
@Injectable()
export class RunStarter {
  private readonly logger = new Logger(RunStarter.name);

  constructor(
    private readonly log: LogPort,
    private readonly admission: RunAdmission,
    private readonly control: RunControl,
    private readonly behaviours: Behaviours,
    private readonly pins: FileSnapshots,
  ) {}

  /**
   * Accepts a diagnosis. It belongs to the tenant of its topology. Idempotent.
   * @throws ConsiliumError VALIDATION_FAILED if the topology names a missing behaviour, or has no
   *   such node or team
   */
  async diagnosis(
    runId: string,
    { topology: whole, version, tenant }: DiagnosedTopology,
    wanted: DiagnosisInput,
  ): Promise<AcceptedRun> {
    const narrowed = narrowTopology(whole, wanted);
    if ('faults' in narrowed) throw invalid(narrowed.faults);
    const { topology } = narrowed;
    const behaviours = this.behaviours.pin(topology);
    const spec: RunSpec = {
      kind: 'diagnosis',
      owner: ownerOfDiagnoses(tenant),
      topology,
      topologyVersion: version,
      behaviours,
      blackboards: this.behaviours.blackboards(behaviours),
      userMessage: redactSecrets(wanted.userMessage),
      ...(wanted.task !== undefined && { task: redactSecrets(wanted.task) }),
      limits: resolveLimits('diagnosis', topology.limits, wanted.limits),
      onDisconnect: wanted.onDisconnect ?? 'continue',
      ...(wanted.startedBy !== undefined && { startedBy: wanted.startedBy }),
      ...(wanted.traceparent !== undefined && { traceparent: wanted.traceparent }),
      ...(wanted.repair === true && { repair: true }),
    };
    const data = {
      kind: 'diagnosis',
      topology_id: topology.id,
      topology_name: topology.name,
      user_message: spec.userMessage,
      limits: spec.limits,
      ...(topology.scope && { scope: topology.scope }),
      ...(spec.repair && { repair: true }),
    } as const;
    const shown = { hierarchy: hierarchy(topology, version) };
    const events: DraftEvent[] = [
      { name: 'lifecycle.started', source: null, data },
      { name: 'system.topology', source: null, data: shown },
      ...(wanted.notes ?? []),
    ];
    return this.accept(runId, spec, events, wanted.isNew);
  }

  /**
   * Accepts a run. Idempotent.
   * @param isNew see {@link RunAdmission.enter}
   * @throws ConsiliumError RATE_LIMITED
   */
  async accept(
    runId: string,
    wanted: RunSpec,
    events: DraftEvent[],
    isNew = false,
  ): Promise<AcceptedRun> {
    const dataCode = randomBytes(8).toString('hex');
    const spec = { ...wanted, dataCode, files: await this.pins.pin() };
    await this.control.expectFollower(runId, spec);
    const head = { ...headOf(spec), numbers: numbersOf(spec) };
    const place = await this.admission.enter(runId, head, isNew);
    // If a run is accepted twice at once, it has the place that the first call gave it.
    const { order } = await this.log.create(runId, { ...spec, ...place }, events);
    const ordered = { ...spec, ...(order !== undefined && { order }) };
    return { runId, spec: ordered, start: (delayMs) => this.start(runId, ordered, delayMs) };
  }

  private async start(runId: string, spec: RunSpec, delayMs?: number): Promise<void> {
    try {
      await this.control.start(runId, spec, delayMs);
    } catch (error) {
      this.logger.warn(`could not queue run ${runId}; the next sweep will: ${String(error)}`);
    }
  }
}
