import { LogTemplates, type LogTemplate } from '../engine/logs/log-templates.js';
import type { LogRecord } from '../domain/telemetry/records.js';
import type { SpanNote } from '../engine/traces/trace-rules.js';
import { spanKey } from '../engine/traces/trace-tree.js';
import type { TraceSample } from './trace-sample.js';

/** Keeps the templates of log lines, and their relation to the spans that were kept. */
export class LogSample {
  readonly notes = new Map<string, SpanNote[]>();
  private readonly found: LogTemplates;

  /** @param quietUntil lines before this time are from a quiet time */
  constructor(
    quietUntil: number,
    private readonly traces: Pick<TraceSample, 'keeps'>,
  ) {
    this.found = new LogTemplates(quietUntil);
  }

  add(record: LogRecord): void {
    const { id, error } = this.found.add(record);
    const { traceId, spanId } = record;
    if (traceId === undefined || spanId === undefined || !this.traces.keeps(traceId)) return;
    const key = spanKey(traceId, spanId);
    const known = this.notes.get(key);
    if (known === undefined) this.notes.set(key, [{ id, error }]);
    else if (!known.some((note) => note.id === id)) known.push({ id, error });
  }

  /** @param isCut only a part of the lines was read */
  templates(isCut: boolean): LogTemplate[] {
    return this.found.all().map((each) => (isCut ? { ...each, isCut } : each));
  }
}
