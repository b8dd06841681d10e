import {
  incidentSince,
  quietUntilOf,
  type IncidentFrame,
  type Span,
  type SpanKind,
} from '../../domain/telemetry/records.js';

/** The time of a trace: in the time known to be normal, before the report, or since. */
export type TracePhase = 'baseline' | 'before' | 'incident';

/**
 * A span in its trace. A class: there are tens of thousands, and objects of one shape take a
 * fraction of the memory.
 */
export class TraceSpan {
  readonly key: string;
  readonly spanId: string;
  readonly parentId: string | undefined;
  readonly node: string | undefined;
  readonly name: string;
  readonly kind: SpanKind | undefined;
  readonly start: number;
  readonly durationMs: number;
  readonly error: string | undefined;
  /** `node|operation`. */
  readonly operation: string;
  depth = 0;
  children: TraceSpan[] = [];
  /**
   * The far end of a span that is a call: the own time of the call is then the gap between the two.
   */
  remote: TraceSpan | undefined = undefined;
  /** Its parent was not recorded. */
  isOrphan = false;
  /** ms during which no span below was active. */
  ownMs = 0;

  constructor(
    { traceId, spanId, parentId, node, name, kind, start, durationMs, error }: Span,
    readonly phase: TracePhase,
  ) {
    this.key = spanKey(traceId, spanId);
    this.spanId = spanId;
    this.parentId = parentId;
    this.node = node;
    this.name = name;
    this.kind = kind;
    this.start = start;
    this.durationMs = durationMs;
    this.error = error;
    this.operation = `${node ?? ''}|${name}`;
  }
}

export interface Trace {
  phase: TracePhase;
  start: number;
  durationMs: number;
  /** Parents before children. */
  spans: TraceSpan[];
}

/** In a larger trace orphans stay roots: each would be compared with every other span. */
const MOST_SEARCHED = 1_000;
/** Clocks of the baseline and of the spans need not agree to the millisecond. */
const SLACK_MS = 2_000;

export const phaseOf = (at: number, frame: IncidentFrame): TracePhase => {
  const { baseline } = frame;
  return baseline && at >= baseline.from - SLACK_MS && at <= baseline.to + SLACK_MS
    ? 'baseline'
    : at >= incidentSince(frame)
      ? 'incident'
      : 'before';
};

export const spanKey = (traceId: string, spanId: string): string => `${traceId}/${spanId}`;

/** This many traces of a quiet time show what is usual. */
const LEAST_QUIET = 50;

/**
 * Spans as trees, each span with its own time. Spans that occur twice count once; those whose
 * parent is missing are put below the span that encloses them, or are roots. A failure begins
 * before it is reported: if no time is known to be normal, traces between the quiet time and the
 * report are omitted, if the quiet time has enough of them.
 */
export function buildTraces(spans: readonly Span[], frame: IncidentFrame): Trace[] {
  const byTrace = new Map<string, Map<string, Span>>();
  for (const span of spans) {
    const trace = byTrace.get(span.traceId) ?? new Map<string, Span>();
    byTrace.set(span.traceId, trace);
    if (!trace.has(span.spanId)) trace.set(span.spanId, span);
  }
  const traces = [...byTrace.values()].map((trace) => buildTrace([...trace.values()], frame));
  if (frame.baseline !== undefined) return traces;
  const quietUntil = quietUntilOf(frame);
  const isQuiet = ({ phase, start }: Trace) => phase === 'before' && start < quietUntil;
  return traces.filter(isQuiet).length < LEAST_QUIET
    ? traces
    : traces.filter((trace) => trace.phase === 'incident' || isQuiet(trace));
}

function buildTrace(spans: readonly Span[], frame: IncidentFrame): Trace {
  const start = Math.min(...spans.map((span) => span.start));
  const phase = phaseOf(start, frame);
  const byId = new Map(spans.map((span) => [span.spanId, new TraceSpan(span, phase)]));
  const roots: TraceSpan[] = [];
  for (const span of byId.values()) {
    const parent = span.parentId === span.spanId ? undefined : byId.get(span.parentId ?? '');
    const isLost = parent === undefined && span.parentId !== undefined;
    if (isLost) span.isOrphan = true;
    const above = isLost && byId.size <= MOST_SEARCHED ? tightest(span, byId) : parent;
    (above?.children ?? roots).push(span);
  }
  const ordered = inOrder(roots);
  for (const span of ordered) {
    const remote = span.children.find((child) => isFarEnd(child, span));
    if (remote) span.remote = remote;
  }
  sweepOwnTime(ordered);
  const end = Math.max(...spans.map((span) => span.start + span.durationMs));
  return { phase, start, durationMs: end - start, spans: ordered };
}

const CALLS: ReadonlySet<SpanKind | undefined> = new Set(['client', 'producer']);

/**
 * Whether a span is at the other end of the call that its parent is. A span of unknown kind may be
 * a call, unless what is below it is the call.
 */
const isFarEnd = (span: TraceSpan, parent: TraceSpan): boolean =>
  span.node !== parent.node &&
  (parent.kind === undefined ? !CALLS.has(span.kind) : CALLS.has(parent.kind));

/**
 * The shortest span that was active for all of the time of another: the nearest remaining one above
 * it.
 */
function tightest(orphan: TraceSpan, byId: ReadonlyMap<string, TraceSpan>): TraceSpan | undefined {
  const end = orphan.start + orphan.durationMs;
  let best: TraceSpan | undefined;
  for (const span of byId.values())
    if (
      span.durationMs > orphan.durationMs &&
      span.start <= orphan.start &&
      span.start + span.durationMs >= end &&
      span.durationMs < (best?.durationMs ?? Infinity) &&
      !isBelow(span, orphan, byId)
    )
      best = span;
  return best;
}

/** Whether a span descends from another one, which may have ended before it. */
function isBelow(span: TraceSpan, other: TraceSpan, byId: ReadonlyMap<string, TraceSpan>): boolean {
  const passed = new Set<TraceSpan>();
  for (
    let each = byId.get(span.parentId ?? '');
    each !== undefined && !passed.has(each);
    each = byId.get(each.parentId ?? '')
  ) {
    if (each === other) return true;
    passed.add(each);
  }
  return false;
}

/** Parents before children, siblings by their start. Spans in a cycle of parents are omitted. */
function inOrder(roots: readonly TraceSpan[]): TraceSpan[] {
  const ordered: TraceSpan[] = [];
  const stack = [...roots].reverse();
  for (let span = stack.pop(); span; span = stack.pop()) {
    ordered.push(span);
    const children = span.children.sort((a, b) => a.start - b.start);
    for (const child of children.toReversed()) {
      child.depth = span.depth + 1;
      stack.push(child);
    }
  }
  return ordered;
}

/**
 * Assigns each instant of a trace to the deepest active span; of equally deep ones to one that
 * calls another node. The own time of a span is therefore its part of the critical path if calls
 * run one after the other, and waiting counts only once.
 */
function sweepOwnTime(spans: readonly TraceSpan[]): void {
  const events = spans
    .flatMap((span) => [
      { at: span.start, opens: true, span },
      { at: span.start + span.durationMs, opens: false, span },
    ])
    .sort((a, b) => a.at - b.at || Number(a.opens) - Number(b.opens));
  const underWay = new Set<TraceSpan>();
  let last = 0;
  for (const { at, opens, span } of events) {
    if (underWay.size > 0 && at > last) {
      const owner = [...underWay].reduce((best, each) =>
        each.depth > best.depth || (each.depth === best.depth && each.remote && !best.remote)
          ? each
          : best,
      );
      owner.ownMs += at - last;
    }
    last = at;
    if (opens) underWay.add(span);
    else underWay.delete(span);
  }
}
