import type { Span, TimeWindow } from '../../domain/telemetry/records.js';
import { fitting } from '../http/fitting.js';
import { readTargets, type NodePart, type SourceTarget } from '../http/source-targets.js';
import type { SourceServer } from '../http/source-server.js';
import { TraceSource, type SourceAnswer, type SourceQuery } from '../ports.js';
import type { LabelledSpan } from '../recording/parse-traces.js';

/** The query to a server: some traces with a span of a service. */
export interface TracesQuestion {
  service: string;
  window: TimeWindow;
  /** Only traces with a failed span of the service. */
  failed: boolean;
  most: number;
}

/** How traces are read from a kind of server. */
export interface TraceReader {
  /**
   * @param known ids of traces that are not read again; those that are read are added
   * @throws SourceError; the signal's reason
   */
  read(
    server: SourceServer,
    question: TracesQuestion,
    { known, signal }: { known: Set<string>; signal: AbortSignal },
  ): Promise<LabelledSpan[]>;
}

/** Their selectors are names of services (`service.name`). */
export interface TraceTarget extends SourceTarget, TraceReader {}

/**
 * Traces of a node: failed ones and any of the time of the diagnosis, and any of the time to
 * compare with.
 */
const EACH = 10;
/** Maximum traces of one reading. */
const MOST_TRACES = 200;

interface TraceTimes {
  window: TimeWindow;
  /** A time that is known to be normal. */
  baseline: TimeWindow;
}

/** Traces of servers that hold them, some for each node, over one connection to each server. */
export class ServedTraces extends TraceSource {
  /** @param nodeOf the node of a span that no selector names */
  constructor(
    private readonly targets: readonly TraceTarget[],
    private readonly times: TraceTimes,
    private readonly nodeOf: (labels: Readonly<Record<string, string>>) => string | undefined,
  ) {
    super();
  }

  spans(query: SourceQuery, signal: AbortSignal): SourceAnswer<Span> {
    const reading = { query, known: new Set<string>(), signal };
    const records = readTargets(this.targets, { node: query.node, signal }, (part, target) =>
      this.readNode(part, target, reading),
    );
    return { kind: 'records', coverage: 'sampled', records };
  }

  private async *readNode(
    { server, node, selector: service }: NodePart,
    target: TraceTarget,
    { query, known, signal }: { query: SourceQuery; known: Set<string>; signal: AbortSignal },
  ): AsyncGenerator<Span> {
    const { window, baseline } = this.times;
    const byService = new Map([...target.selectors].map(([id, name]) => [name, id]));
    for (const [given, failed] of [
      [window, true],
      [window, false],
      [baseline, false],
    ] as const) {
      const own = overlap(given, query.window);
      if (own.from > own.to || known.size >= MOST_TRACES) continue;
      const found = await fitting(EACH, (most) =>
        target.read(server, { service, window: own, failed, most }, { known, signal }),
      );
      for (const { span, labels } of found) {
        const of = byService.get(labels['service.name'] ?? '') ?? this.nodeOf(labels);
        const isOwn = query.node === undefined || of === node;
        if (!isOwn || span.start < own.from || span.start > own.to) continue;
        yield { ...span, ...(of !== undefined && { node: of }) };
      }
    }
  }
}

const overlap = (a: TimeWindow, b: TimeWindow): TimeWindow => ({
  from: Math.max(a.from, b.from),
  to: Math.min(a.to, b.to),
});
