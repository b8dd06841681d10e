import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';

type Value = { stringValue?: string; intValue?: number | string; doubleValue?: number } & {
  boolValue?: boolean;
  arrayValue?: { values: Value[] };
};
interface Pair {
  key: string;
  value: Value;
}
interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Pair[];
  events: { name: string }[];
  status: { code?: number };
}
interface OtlpBody {
  resourceSpans: { resource: { attributes: Pair[] }; scopeSpans: { spans: OtlpSpan[] }[] }[];
}

/** A span as a collector receives it. */
export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  name: string;
  /** 1: internal, 3: client. */
  kind: number;
  startMs: number;
  endMs: number;
  attributes: Record<string, unknown>;
  resource: Record<string, unknown>;
  events: string[];
  failed: boolean;
}

const valueOf = ({ arrayValue, intValue, ...other }: Value): unknown =>
  arrayValue
    ? arrayValue.values.map(valueOf)
    : intValue === undefined
      ? (other.stringValue ?? other.doubleValue ?? other.boolValue)
      : Number(intValue);
const recordOf = (pairs: Pair[]) =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, valueOf(value)]));
const msOf = (nanos: string) => Number(BigInt(nanos) / 1_000n) / 1_000;

/** A collector that takes OTLP/HTTP with JSON and keeps what it receives. */
export class OtlpReceiver {
  readonly spans: ReceivedSpan[] = [];
  readonly requests: { path: string; headers: IncomingHttpHeaders; body: string }[] = [];
  /** Status of the answers. */
  status = 200;
  private constructor(private readonly server: Server) {}

  static async start(): Promise<OtlpReceiver> {
    const server = createServer();
    const receiver = new OtlpReceiver(server);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const bytes = Buffer.concat(chunks);
        const zipped = request.headers['content-encoding'] === 'gzip';
        const body = (zipped ? gunzipSync(bytes) : bytes).toString();
        receiver.requests.push({ path: request.url ?? '', headers: request.headers, body });
        if (receiver.status === 200) receiver.take(JSON.parse(body) as OtlpBody);
        response.writeHead(receiver.status, { 'content-type': 'application/json' }).end('{}');
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return receiver;
  }

  /** Base URL: the value of OTEL_EXPORTER_OTLP_ENDPOINT. */
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private take({ resourceSpans }: OtlpBody): void {
    for (const { resource, scopeSpans } of resourceSpans)
      for (const span of scopeSpans.flatMap(({ spans }) => spans))
        this.spans.push({
          traceId: span.traceId,
          spanId: span.spanId,
          name: span.name,
          kind: span.kind,
          parentSpanId: span.parentSpanId || undefined,
          startMs: msOf(span.startTimeUnixNano),
          endMs: msOf(span.endTimeUnixNano),
          attributes: recordOf(span.attributes),
          resource: recordOf(resource.attributes),
          events: (span.events ?? []).map(({ name }) => name),
          failed: span.status.code === 2,
        });
  }
}
