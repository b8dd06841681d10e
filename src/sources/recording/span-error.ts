/** The outcome of a span, in the terms of its format. */
export interface SpanEnd {
  /** The status shows that it failed; undefined: the status shows nothing. */
  failed: boolean | undefined;
  message: string | undefined;
  attributes: Readonly<Record<string, string>>;
  /** Attributes of its events. */
  events: readonly Readonly<Record<string, string>>[];
}

const MOST_TEXT = 2_000;
const HTTP = ['http.response.status_code', 'http.status_code'] as const;
/**
 * Codes of gRPC that are the server's fault, of the semantic conventions of OpenTelemetry: UNKNOWN,
 * DEADLINE_EXCEEDED, UNIMPLEMENTED, INTERNAL, UNAVAILABLE, DATA_LOSS.
 */
const GRPC_FAULTS = new Set(['2', '4', '12', '13', '14', '15']);

/**
 * The error of a failed span: its status, and the thrown errors (events of OpenTelemetry, logs of
 * OpenTracing); undefined if it did not fail. Proxies set no status: the status code of the
 * response is used.
 */
export function errorOf({ failed, message, attributes, events }: SpanEnd): string | undefined {
  const code = HTTP.map((name) => attributes[name]).find((value) => value !== undefined) ?? '';
  const grpc = attributes['rpc.grpc.status_code'] ?? '';
  const answered = /^5\d\d$/.test(code)
    ? `HTTP ${code}`
    : GRPC_FAULTS.has(grpc)
      ? `gRPC ${grpc}`
      : undefined;
  if (failed === false || (failed === undefined && answered === undefined)) return undefined;
  const thrown = events.flatMap((event) => {
    const parts = [
      event['exception.type'] ?? event['error.kind'],
      event['exception.message'] ?? event['message'],
    ];
    return parts.some(Boolean) && isError(event) ? [parts.filter(Boolean).join(': ')] : [];
  });
  const said = [...new Set([message, ...thrown, failed === undefined ? answered : undefined])];
  return said.filter(Boolean).join('; ').slice(0, MOST_TEXT);
}

const isError = (event: Readonly<Record<string, string>>): boolean =>
  event['exception.type'] !== undefined || event['event'] === 'error';
