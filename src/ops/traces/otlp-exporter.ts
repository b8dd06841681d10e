import { SpanKind, SpanStatusCode, TraceFlags, type HrTime } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes, type Resource } from '@opentelemetry/resources';
import type { ExportedSpan, ExportedTrace } from './span.js';
import type { SpanExporter } from './span-exporter.js';

/** Spans of one request. */
const BATCH = 500;
/** ms: one request with its retries. */
const TIMEOUT_MS = 10_000;

type ReadableSpan = Parameters<OTLPTraceExporter['export']>[0][number];

export interface OtlpSettings {
  /** Base URL of the collector: OTEL_EXPORTER_OTLP_ENDPOINT. */
  endpoint: string;
  headers: Record<string, string>;
  serviceName: string;
  version: string;
}

/**
 * Sends traces by OTLP/HTTP with JSON: https://opentelemetry.io/docs/specs/otlp/. Imported only if
 * traces are on.
 */
export function otlpExporter({ endpoint, headers, ...service }: OtlpSettings): SpanExporter {
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`;
  const exporter = new OTLPTraceExporter({ url, headers, timeoutMillis: TIMEOUT_MS });
  const resource = resourceFromAttributes({
    'service.name': service.serviceName,
    'service.version': service.version,
  });
  const send = (spans: ReadableSpan[]) =>
    new Promise<void>((resolve, reject) =>
      exporter.export(spans, ({ error, code }) =>
        Number(code) === 0
          ? resolve()
          : reject(error ?? new Error('the collector refused the spans')),
      ),
    );
  return {
    async export({ traceId, spans }: ExportedTrace) {
      for (let from = 0; from < spans.length; from += BATCH)
        await send(
          spans.slice(from, from + BATCH).map((span) => readable(span, traceId, resource)),
        );
    },
    close: () => exporter.shutdown(),
  };
}

const KINDS = { internal: SpanKind.INTERNAL, client: SpanKind.CLIENT } as const;

/** Seconds and nanoseconds. */
const hrTime = (ms: number): HrTime => [Math.floor(ms / 1_000), Math.round((ms % 1_000) * 1e6)];

function readable(span: ExportedSpan, traceId: string, resource: Resource): ReadableSpan {
  const contextOf = (spanId: string) => ({ traceId, spanId, traceFlags: TraceFlags.SAMPLED });
  const { attributes, error, parentId } = span;
  return {
    name: span.name,
    kind: KINDS[span.kind],
    spanContext: () => contextOf(span.spanId),
    ...(parentId !== undefined && { parentSpanContext: contextOf(parentId) }),
    startTime: hrTime(span.start),
    endTime: hrTime(span.end),
    duration: hrTime(Math.max(0, span.end - span.start)),
    ended: true,
    status: { code: error === undefined ? SpanStatusCode.UNSET : SpanStatusCode.ERROR },
    attributes: { ...attributes, ...(error !== undefined && { 'error.type': error }) },
    links: [],
    events: span.events.map(({ name, at }) => ({ name, time: hrTime(at), attributes: {} })),
    resource,
    instrumentationScope: { name: 'consilium', version: '1' },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}
