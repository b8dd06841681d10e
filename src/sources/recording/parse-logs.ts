import { z } from 'zod';
import { withError } from '../../engine/logs/said-in-line.js';
import type { LogPattern, LogRecord } from '../../domain/telemetry/records.js';
import {
  attributesOf,
  nanos,
  otlpAttributes,
  textOfValue,
  textValues,
} from './parse-attributes.js';
import { looseLogIn, timeIn } from './parse-loose-log.js';

const MOST_TEXT = 16_384;
type UnassignedRecord = Omit<LogRecord, 'node'>;

const canonical = z.object({
  timestamp: z.string(),
  severity_text: z.string().optional(),
  body: z.string(),
  resource: textValues,
  attributes: textValues,
  trace_id: z.string().optional(),
  span_id: z.string().optional(),
});
const logcli = z.object({ labels: textValues, line: z.string(), timestamp: z.string() });
const otlp = z.object({
  resourceLogs: z.array(
    z.object({
      resource: z.object({ attributes: otlpAttributes }).optional(),
      scopeLogs: z.array(
        z.object({
          logRecords: z.array(
            z.object({
              timeUnixNano: nanos.optional(),
              observedTimeUnixNano: nanos.optional(),
              severityText: z.string().optional(),
              severityNumber: z.number().optional(),
              body: z.record(z.string(), z.unknown()).optional(),
              attributes: otlpAttributes,
              traceId: z.string().optional(),
              spanId: z.string().optional(),
            }),
          ),
        }),
      ),
    }),
  ),
});

/**
 * Log records of one JSON line: the canonical form, a line of `logcli --output=jsonl`, an OTLP/JSON
 * request, or {@link looseLogIn}.
 */
export function logsIn(value: unknown): UnassignedRecord[] {
  const one = canonical.safeParse(value);
  if (one.success) return dated(one.data.timestamp, ofCanonical(one.data));
  const loki = logcli.safeParse(value);
  if (loki.success) {
    const { labels, line, timestamp } = loki.data;
    const severity = labels['level'] ?? labels['detected_level'] ?? '';
    return dated(timestamp, { severity, body: line.slice(0, MOST_TEXT), labels });
  }
  const request = otlp.safeParse(value);
  if (request.success) return ofOtlp(request.data);
  const loose = looseLogIn(value, MOST_TEXT);
  return loose ? [loose] : [];
}

const dated = (timestamp: string, rest: Omit<UnassignedRecord, 'at'>): UnassignedRecord[] => {
  const at = Date.parse(timestamp);
  return Number.isNaN(at) ? [] : [{ at, ...rest }];
};

function ofCanonical(line: z.infer<typeof canonical>): Omit<UnassignedRecord, 'at'> {
  const { severity_text: severity = '', body, resource, attributes } = line;
  return {
    severity,
    body: withError(body, attributes).slice(0, MOST_TEXT),
    labels: { ...resource, ...attributes },
    ...(line.trace_id && { traceId: line.trace_id }),
    ...(line.span_id && { spanId: line.span_id }),
  };
}

function ofOtlp({ resourceLogs }: z.infer<typeof otlp>): UnassignedRecord[] {
  return resourceLogs.flatMap(({ resource, scopeLogs }) =>
    scopeLogs.flatMap(({ logRecords }) =>
      logRecords.flatMap((record) => {
        // OpenTelemetry writes 0 for an unknown time.
        const at = record.timeUnixNano || record.observedTimeUnixNano;
        const attributes = attributesOf(record.attributes);
        return !at
          ? []
          : [
              {
                at,
                severity: record.severityText || severityNamed(record.severityNumber),
                body: withError(textOfValue(record.body), attributes).slice(0, MOST_TEXT),
                labels: {
                  ...attributesOf(resource?.attributes ?? []),
                  ...attributes,
                },
                ...(record.traceId && { traceId: record.traceId }),
                ...(record.spanId && { spanId: record.spanId }),
              },
            ];
      }),
    ),
  );
}

/**
 * Severity numbers of OpenTelemetry's data model of logs: 13 to 16 warn, 17 to 20 are errors, 21 to
 * 24 fatal.
 */
const severityNamed = (number = 0): string =>
  number >= 21 ? 'FATAL' : number >= 17 ? 'ERROR' : number >= 13 ? 'WARN' : '';

const TIMED =
  /^\[?(\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:\s?(?:Z|UTC|[+-]\d\d:?\d\d))?)\]?\s+(.*)$/;

/**
 * A line of text with a time before it, such as `kubectl logs --timestamps` writes, of the pod that
 * its file is named after.
 */
export function podLogIn(text: string, pod: string): UnassignedRecord | undefined {
  const [, timestamp, body = ''] = TIMED.exec(text) ?? [];
  const at = timeIn(timestamp);
  if (at === undefined) return undefined;
  const severity = /\b(FATAL|ERROR|WARN(?:ING)?|INFO|DEBUG)\b/i.exec(body.slice(0, 200))?.[1] ?? '';
  return { at, severity, body: body.slice(0, MOST_TEXT), labels: { 'k8s.pod.name': pod } };
}

const pattern = z.object({
  pattern: z.string().max(MOST_TEXT),
  labels: textValues,
  count: z.number(),
  delta: z.number().default(0),
});

/** A line of logs/patterns.ndjson. */
export function patternIn(
  value: unknown,
): (Omit<LogPattern, 'node'> & { labels: Record<string, string> }) | undefined {
  const parsed = pattern.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}
