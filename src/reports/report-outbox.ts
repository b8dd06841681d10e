import { Inject, Injectable } from '@nestjs/common';
import { tenantOf } from '../domain/tenant.js';
import { LogPort } from '../event-log/log-port.js';
import type { RunClosing } from '../event-log/run-lifecycle.js';
import { outcomeOf, type DiagnosisOutcome } from './diagnosis-outcome.js';
import { ReportQueue, type ReportState } from './report-queue.js';
import { REPORTS_FILE } from './reports-file-token.js';
import type { Destination, ReportsFile } from './reports-file.js';

/**
 * Queues the reports of a run that has ended before the run is closed. If a process dies in
 * between, the run stays open, and the next sweep queues them; a report that is queued already is
 * not queued again.
 */
@Injectable()
export class ReportOutbox implements RunClosing {
  constructor(
    private readonly log: LogPort,
    private readonly queue: ReportQueue,
    @Inject(REPORTS_FILE) private readonly file: ReportsFile,
  ) {}

  async beforeClose(runId: string): Promise<void> {
    for (const { id } of await this.destinationsOf(runId))
      await this.queue.add({ runId, destination: id });
  }

  /** The destinations of the report of a run, and the state of each. */
  async states(runId: string): Promise<(ReportState & { destination: string; kind: string })[]> {
    const found = await Promise.all(
      (await this.destinationsOf(runId)).map(async ({ id, kind }) => {
        const state = await this.queue.stateOf({ runId, destination: id });
        return state ? [{ destination: id, kind, ...state }] : [];
      }),
    );
    return found.flat();
  }

  private async destinationsOf(runId: string): Promise<Destination[]> {
    if (this.file.destinations.length === 0) return [];
    const state = await this.log.state(runId);
    if (!state) return [];
    const [terminal] = await this.log.events(runId, [state.lastSequence]);
    const outcome = outcomeOf(runId, state, terminal);
    if (!outcome) return [];
    const tenant = tenantOf(state.head.owner);
    return this.file.destinations.filter((each) => each.tenant === tenant && wants(each, outcome));
  }
}

const wants = (
  { on, topologies }: Destination,
  { verdict, topologyId }: DiagnosisOutcome,
): boolean =>
  (on === undefined ? verdict !== 'healthy' : on.includes(verdict)) &&
  (topologies === undefined || topologies.includes(topologyId));
