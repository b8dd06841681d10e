import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import pLimit from 'p-limit';
import { isEventName, type NamedEvent, type RunEvent } from '../../domain/events/event.js';
import { frameData } from '../../domain/events/frame.js';
import { readTraceparent } from '../../domain/trace-context.js';
import { LogPort } from '../../event-log/log-port.js';
import type { RunClosing } from '../../event-log/run-lifecycle.js';
import { atMost } from '../../lib/async.js';
import { Models } from '../../models/models.js';
import { Instruments } from '../telemetry/instruments.js';
import type { SpanExporter } from './span-exporter.js';
import { TraceBuilder } from './trace-builder.js';

/** Injection token of the exporter; undefined if traces are off. */
export const SPAN_EXPORTER = Symbol('SPAN_EXPORTER');

/** Frames of one read. */
const PAGE = 500;
/**
 * Maximum runs whose traces wait; more are dropped: an unreachable collector must not cost memory.
 */
const MOST_WAITING = 100;
/** How long a shutdown waits for traces. */
const LEAVE_MS = 5_000;

/**
 * Exports the trace of each run when it is closed, from its log. The log has the steps of every
 * process that worked on the run, so the trace is complete even if processes died. It is exported
 * in the background: a collector that is slow or unreachable delays nothing, and its traces are
 * lost.
 */
@Injectable()
export class RunTraces implements RunClosing, OnApplicationShutdown {
  private readonly logger = new Logger('Traces');
  private readonly limit = pLimit(1);
  private readonly pending = new Set<Promise<void>>();

  constructor(
    @Inject(SPAN_EXPORTER) private readonly exporter: SpanExporter | undefined,
    private readonly log: LogPort,
    private readonly models: Models,
    private readonly instruments: Instruments,
  ) {}

  async afterClose(runId: string): Promise<void> {
    const { exporter } = this;
    if (!exporter) return;
    if (this.pending.size >= MOST_WAITING) return this.count('dropped');
    const done = this.limit(() => this.export(exporter, runId));
    this.pending.add(done);
    void done.finally(() => this.pending.delete(done));
  }

  async onApplicationShutdown(): Promise<void> {
    await atMost(LEAVE_MS, Promise.all(this.pending), undefined);
    await atMost(LEAVE_MS, this.exporter?.close() ?? Promise.resolve(), undefined);
  }

  /** Never rejects. */
  private async export(exporter: SpanExporter, runId: string): Promise<void> {
    try {
      const builder = await this.read(runId);
      if (!builder) return;
      await exporter.export(builder.trace());
      this.count('sent');
    } catch (error) {
      this.count('failed');
      this.logger.warn({ msg: 'a trace was not exported', runId, error: String(error) });
    }
  }

  /** @returns undefined if the run is not known, or its caller does not record the trace */
  private async read(runId: string): Promise<TraceBuilder | undefined> {
    const [state, spec] = await Promise.all([this.log.state(runId), this.log.spec(runId)]);
    const caller = readTraceparent(spec?.traceparent);
    if (!state || caller?.sampled === false) return undefined;
    const { head, createdAt, lastSequence } = state;
    const providerOf = (model: string) => this.models.get(model)?.provider;
    const builder = new TraceBuilder({ runId, head, createdAt, caller, providerOf });
    for (let after = 0; after < lastSequence;) {
      const { frames } = await this.log.read(runId, after, PAGE);
      if (frames.length === 0) break;
      for (const frame of frames) takeFrame(builder, frame.toString());
      after += frames.length;
    }
    return builder;
  }

  private count(outcome: 'sent' | 'failed' | 'dropped'): void {
    this.instruments.traces.inc({ outcome });
  }
}

function takeFrame(builder: TraceBuilder, frame: string): void {
  const event = JSON.parse(frameData(frame)) as RunEvent;
  const name = `${event.event.category}.${event.event.action}`;
  if (isEventName(name)) builder.take({ ...event, name } as NamedEvent);
}
