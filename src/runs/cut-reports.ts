import { Injectable } from '@nestjs/common';
import { agentReports } from '../domain/diagnosis/agent-report.js';
import { concludeRun } from '../domain/diagnosis/conclude-run.js';
import type { Report } from '../domain/diagnosis/finding.js';
import type { RunEvent } from '../domain/events/event.js';
import type { RunSpec } from '../domain/run.js';
import { LogPort } from '../event-log/log-port.js';
import { readRepairs } from '../event-log/read-repairs.js';
import { FileSnapshots } from '../notifications/file-snapshots.js';

/**
 * Creates the reports of runs that are ended from outside: the measurements and reports so far.
 * Contract section 6.
 */
@Injectable()
export class CutReports {
  constructor(
    private readonly log: LogPort,
    private readonly files: FileSnapshots,
  ) {}

  async of(
    runId: string,
    { topology, files, ...spec }: Pick<RunSpec, 'topology' | 'files' | 'repair'>,
    events: readonly RunEvent[],
  ): Promise<Report> {
    const [{ evidence, measurements }, { prompts }] = await Promise.all([
      this.log.measured(runId, topology),
      this.files.of(files),
    ]);
    const repairs = await readRepairs(this.log, runId, spec, evidence);
    const { nextSteps } = prompts;
    const reports = agentReports(events, evidence);
    return concludeRun(topology, measurements, reports, { ended: 'cut', nextSteps, repairs })
      .report;
  }
}
