import { Injectable } from '@nestjs/common';
import type { EventData } from '../../domain/events/event.js';
import { LogPort } from '../../event-log/log-port.js';
import type { RunClosing, RunLifecycle } from '../../event-log/run-lifecycle.js';
import { Instruments } from '../telemetry/instruments.js';

/**
 * Codes of failed runs (docs/reliability.md); those of model providers are in contract section 5.
 */
const CODES = new Set([
  'DEADLINE',
  'AGENT_CRASHED',
  'LOG_LIMIT',
  'ORPHANED',
  'INTERNAL_ERROR',
  'RATE_LIMITED',
  'OVERLOADED',
  'AI_ERROR',
]);

/** Counts each run once, in the process that closes it, and what the sweeper does to runs. */
@Injectable()
export class RunOutcomes implements RunClosing, RunLifecycle {
  constructor(
    private readonly log: LogPort,
    private readonly instruments: Instruments,
  ) {}

  async beforeRestart(): Promise<void> {
    this.instruments.runsRestarted.inc();
  }

  async beforeTrim(): Promise<void> {
    this.instruments.runsTrimmed.inc();
  }

  async afterClose(runId: string): Promise<void> {
    const state = await this.log.state(runId);
    if (!state) return;
    const [terminal] = await this.log.events(runId, [state.lastSequence]);
    const { report, code = '' } = (terminal?.data ?? {}) as Partial<
      EventData['lifecycle.completed'] & EventData['lifecycle.failed']
    >;
    const { kind } = state.head;
    this.instruments.runsEnded.inc({
      kind,
      status: state.status,
      verdict: report?.verdict ?? 'none',
      code: code === '' ? 'none' : CODES.has(code) ? code : 'other',
    });
    const { createdAt, startedAt, endedAt } = state;
    if (endedAt !== null)
      this.instruments.runSeconds.observe({ kind }, (endedAt - createdAt) / 1_000);
    if (startedAt !== null)
      this.instruments.runWaitSeconds.observe({ kind }, (startedAt - createdAt) / 1_000);
  }
}
