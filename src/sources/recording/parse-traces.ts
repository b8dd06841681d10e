import { z } from 'zod';
import type { Span, SpanKind } from '../../domain/telemetry/records.js';
import { arrayToFirstFault } from '../../lib/first-fault.js';
import { asText } from '../../lib/json.js';
import { attributesOf, nanos, otlpAttributes } from './parse-attributes.js';
import { errorOf } from './span-error.js';

/**
 * An id in hexadecimal digits. Tempo writes bytes in base64, as the JSON of protocol buffers has
 * them.
 */
const id = z
  .string()
  .transform((text) =>
    /^(?:[\w+/-]{22}==|[\w+/-]{11}=)$/.test(text)
      ? Buffer.from(text, 'base64').toString('hex')
      : text,
  );

/** A span with the labels of its resource, which tell its node. */
export type LabelledSpan = { span: Omit<Span, 'node'>; labels: Record<string, string> };

const otlp = z.object({
  resourceSpans: arrayToFirstFault(
    z.object({
      resource: z.object({ attributes: otlpAttributes }).optional(),
      scopeSpans: arrayToFirstFault(
        z.object({
          spans: arrayToFirstFault(
            z.object({
              traceId: id,
              spanId: id,
              parentSpanId: id.nullish(),
              name: z.string().default(''),
              kind: z.union([z.number(), z.string()]).optional(),
              startTimeUnixNano: nanos,
              endTimeUnixNano: nanos,
              status: z
                .object({
                  code: z.union([z.number(), z.string()]).optional(),
                  message: z.string().optional(),
                })
                .optional(),
              attributes: otlpAttributes,
              events: arrayToFirstFault(z.object({ attributes: otlpAttributes })).default([]),
            }),
          ),
        }),
      ),
    }),
  ),
});

const FAILED = new Set<unknown>([2, 'STATUS_CODE_ERROR', 'ERROR']);
const OK = new Set<unknown>([1, 'STATUS_CODE_OK', 'OK']);

/** In the order of their numbers in OTLP, from 1 on. */
const KINDS: readonly SpanKind[] = ['internal', 'server', 'client', 'producer', 'consumer'];

/** `3` or `SPAN_KIND_CLIENT` of OTLP, `client` of OpenTracing; as a property of a span. */
function spanKind(written: unknown): Pick<Span, 'kind'> {
  const name = asText(written)
    .toLowerCase()
    .replace(/^span_kind_/, '');
  const kind = KINDS.find((each, i) => each === name || written === i + 1);
  return kind === undefined ? {} : { kind };
}

/** Spans of one line: an OTLP/JSON ExportTraceServiceRequest, or Jaeger's `/api/traces`. */
export function spansIn(value: unknown): LabelledSpan[] {
  const request = otlp.safeParse(value);
  if (request.success) return ofOtlp(request.data);
  const answer = jaeger.safeParse(value);
  return answer.success ? ofJaeger(answer.data) : [];
}

function ofOtlp({ resourceSpans }: z.infer<typeof otlp>): LabelledSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const labels = attributesOf(resource?.attributes ?? []);
    return scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => {
        const attributes = attributesOf(span.attributes);
        const { code, message } = span.status ?? {};
        const error = errorOf({
          failed: FAILED.has(code) ? true : OK.has(code) ? false : undefined,
          message,
          attributes,
          events: span.events.map((event) => attributesOf(event.attributes)),
        });
        return {
          labels,
          span: {
            traceId: span.traceId,
            spanId: span.spanId,
            ...(span.parentSpanId && { parentId: span.parentSpanId }),
            name: span.name,
            ...spanKind(span.kind),
            start: span.startTimeUnixNano,
            durationMs: Math.max(0, span.endTimeUnixNano - span.startTimeUnixNano),
            ...(error !== undefined && { error }),
            attributes,
          },
        };
      }),
    );
  });
}

const tags = arrayToFirstFault(z.object({ key: z.string(), value: z.unknown() })).default([]);
const jaeger = z.object({
  data: arrayToFirstFault(
    z.object({
      traceID: z.string(),
      processes: z.record(z.string(), z.object({ serviceName: z.string(), tags })),
      spans: arrayToFirstFault(
        z.object({
          spanID: z.string(),
          operationName: z.string(),
          processID: z.string(),
          /** Microseconds, as is `duration`. */
          startTime: z.number(),
          duration: z.number(),
          references: arrayToFirstFault(
            z.object({ refType: z.string(), spanID: z.string() }),
          ).default([]),
          tags,
          logs: arrayToFirstFault(z.object({ fields: tags })).default([]),
        }),
      ),
    }),
  ),
});

const ofTags = (list: z.infer<typeof tags>): Record<string, string> =>
  Object.fromEntries(list.map(({ key, value }) => [key, asText(value)]));

function ofJaeger({ data }: z.infer<typeof jaeger>): LabelledSpan[] {
  return data.flatMap(({ traceID, processes, spans }) =>
    spans.map(
      ({ spanID, operationName, processID, startTime, duration, references, tags: list, logs }) => {
        const process = processes[processID];
        const attributes = ofTags(list);
        const parent = references.find(({ refType }) => refType === 'CHILD_OF')?.spanID;
        const failed = attributes['error'] === 'true' || attributes['otel.status_code'] === 'ERROR';
        const isOk = attributes['error'] === 'false' || attributes['otel.status_code'] === 'OK';
        const error = errorOf({
          failed: failed ? true : isOk ? false : undefined,
          message: attributes['otel.status_description'],
          attributes,
          events: logs.map(({ fields }) => ofTags(fields)),
        });
        return {
          labels: { ...ofTags(process?.tags ?? []), 'service.name': process?.serviceName ?? '' },
          span: {
            traceId: traceID,
            spanId: spanID,
            ...(parent !== undefined && { parentId: parent }),
            name: operationName,
            ...spanKind(attributes['span.kind']),
            start: startTime / 1_000,
            durationMs: duration / 1_000,
            ...(error !== undefined && { error }),
            attributes,
          },
        };
      },
    ),
  );
}
