import type { Span } from '../domain/telemetry/records.js';

/**
 * Enough to compare operations of tens of services with their usual times; held for as long as a
 * diagnosis runs.
 */
const MOST_SPANS = 30_000;

/**
 * Keeps whole traces, as many as fit: once there are too many spans, half of the traces are
 * dropped, chosen by their id, as in consistent probability sampling (OpenTelemetry, trace state).
 */
export class TraceSample {
  private traces = new Map<string, Span[]>();
  private count = 0;
  /** Of 2^32 hash values, those below this are kept. */
  private limit = 2 ** 32;

  constructor(private readonly most = MOST_SPANS) {}

  add(span: Span): void {
    if (!this.keeps(span.traceId)) return;
    const trace = this.traces.get(span.traceId);
    if (trace) trace.push(span);
    else this.traces.set(span.traceId, [span]);
    this.count += 1;
    while (this.count > this.most && this.limit > 1) this.halve();
  }

  keeps(traceId: string): boolean {
    return this.limit === 2 ** 32 || hashOf(traceId) < this.limit;
  }

  spans(): Span[] {
    return [...this.traces.values()].flat();
  }

  private halve(): void {
    this.limit = Math.floor(this.limit / 2);
    for (const [traceId, spans] of this.traces)
      if (!this.keeps(traceId)) {
        this.traces.delete(traceId);
        this.count -= spans.length;
      }
  }
}

/** FNV-1a, 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++)
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return hash;
}
