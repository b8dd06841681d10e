import type { Span } from '../../../src/domain/telemetry/records.js';
import { startReplay, type AskedOf, type SourceReplay } from './source-replay.js';

/** Traces of a service, failed ones if that is asked, with spans of these seconds. */
const tracesOf = (
  spans: readonly Span[],
  { service, from, to, failed }: { service: string; from: number; to: number; failed: boolean },
): string[] => [
  ...new Set(
    spans
      .filter(({ node, start }) => node === service && start >= from && start <= to)
      .filter(({ error }) => !failed || error !== undefined)
      .map(({ traceId }) => traceId),
  ),
];

const attributesOf = (attributes: Record<string, string>) =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: { stringValue: value } }));
const nanos = (ms: number) => `${BigInt(Math.round(ms)) * 1_000_000n}`;
/** Ids that are bytes are base64 in the JSON of Tempo. */
const base64 = (id: string) =>
  /^(?:[0-9a-f]{16}){1,2}$/.test(id) ? Buffer.from(id, 'hex').toString('base64') : id;

/**
 * A server that answers `/api/search` for one form of TraceQL and `/api/traces/ID` of Tempo's HTTP
 * API, from spans in memory.
 */
export const startTempoReplay = (spans: readonly Span[]): Promise<SourceReplay> =>
  startReplay(({ url }: AskedOf) => {
    const given = url.searchParams;
    const [from, to] = ['start', 'end'].map((name) => Number(given.get(name)) * 1_000);
    if (url.pathname === '/api/search/tags') return { tagNames: ['service.name'] };
    if (url.pathname === '/api/search') {
      const [, service = '', failed] =
        /^\{resource\.service\.name="([^"]*)"( && status=error)?\}$/.exec(given.get('q') ?? '') ??
        [];
      const question = { service, from: from ?? 0, to: to ?? 0, failed: failed !== undefined };
      const found = tracesOf(spans, question).slice(0, Number(given.get('limit')));
      return { traces: found.map((traceID) => ({ traceID, durationMs: 1 })), metrics: {} };
    }
    const [, id] = /^\/api\/traces\/(\w+)$/.exec(url.pathname) ?? [];
    const own = spans.filter(({ traceId }) => traceId === id);
    if (own.length === 0) return undefined;
    return {
      batches: own.map(({ node = '', ...span }) => ({
        resource: { attributes: attributesOf({ 'service.name': node }) },
        scopeSpans: [
          {
            spans: [
              {
                traceId: base64(span.traceId),
                spanId: base64(span.spanId),
                name: span.name,
                ...(span.parentId !== undefined && { parentSpanId: base64(span.parentId) }),
                startTimeUnixNano: nanos(span.start),
                endTimeUnixNano: nanos(span.start + span.durationMs),
                attributes: attributesOf(span.attributes),
                status:
                  span.error === undefined
                    ? {}
                    : { code: 'STATUS_CODE_ERROR', message: span.error },
              },
            ],
          },
        ],
      })),
    };
  });

/**
 * A server that answers `/api/traces` and `/api/services` of Jaeger's query service, from spans in
 * memory.
 */
export const startJaegerReplay = (spans: readonly Span[]): Promise<SourceReplay> =>
  startReplay(({ url }: AskedOf) => {
    if (url.pathname === '/api/services') return { data: ['shop'], total: 1 };
    if (url.pathname !== '/api/traces') return undefined;
    const given = url.searchParams;
    const [from, to] = ['start', 'end'].map((name) => Number(given.get(name)) / 1_000);
    const question = {
      service: given.get('service') ?? '',
      from: from ?? 0,
      to: to ?? 0,
      failed: given.get('tags') === '{"error":"true"}',
    };
    const found = tracesOf(spans, question).slice(0, Number(given.get('limit')));
    return { data: found.map((traceID) => jaegerTrace(traceID, spans)), errors: null };
  });

function jaegerTrace(traceID: string, spans: readonly Span[]) {
  const own = spans.filter(({ traceId }) => traceId === traceID);
  const tag = (key: string, value: unknown) => ({ key, type: 'string', value });
  const processes = Object.fromEntries(
    own.map(({ node = '' }) => [node, { serviceName: node, tags: [] }]),
  );
  return {
    traceID,
    processes,
    spans: own.map(({ node = '', ...span }) => ({
      traceID,
      spanID: span.spanId,
      operationName: span.name,
      processID: node,
      startTime: span.start * 1_000,
      duration: span.durationMs * 1_000,
      references:
        span.parentId === undefined
          ? []
          : [{ refType: 'CHILD_OF', traceID, spanID: span.parentId }],
      tags: [
        ...Object.entries(span.attributes).map(([key, value]) => tag(key, value)),
        ...(span.error === undefined
          ? []
          : [tag('error', true), tag('otel.status_description', span.error)]),
      ],
    })),
  };
}
