import { STATUS_CODES, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { ErrorCode } from '../../domain/errors.js';

/** How long a client may take to send a request, in ms. */
export interface RequestTimes {
  headersMs: number;
  requestMs: number;
  /** Every so often connections are looked at. */
  checkMs: number;
}

export const REQUEST_TIMES: RequestTimes = { headersMs: 10_000, requestMs: 30_000, checkMs: 2_000 };

const REQUESTS_PER_CONNECTION = 10_000;
const MOST_HEADERS = 100;
/** Connections beside those of streams. */
const OTHER_CONNECTIONS = 1_000;

/** What Node's parser refuses: RFC 9110 and RFC 6585 name the statuses. */
const REFUSALS: Record<string, { status: number; code: ErrorCode; message: string }> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    code: 'HEADERS_TOO_LARGE',
    message: 'The headers of the request are larger than 16 kB',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    code: 'REQUEST_TIMEOUT',
    message: 'The request did not arrive in time',
  },
};
const MALFORMED = {
  status: 400,
  code: 'VALIDATION_FAILED',
  message: 'This is not a request of HTTP/1.1',
};

/**
 * Bounds what a client can hold of a server, and answers what is no request with the envelope. A client that ends its sending half
 * after the request gets its answer. To be called before `listen`.
 * @param streams how many open streams the service allows
 */
export function limitServer(server: Server, streams: number, times = REQUEST_TIMES): void {
  server.headersTimeout = times.headersMs;
  server.requestTimeout = times.requestMs;
  server.maxRequestsPerSocket = REQUESTS_PER_CONNECTION;
  server.maxHeadersCount = MOST_HEADERS;
  server.maxConnections = streams + OTHER_CONNECTIONS;
  // Options of `createServer`, which is not called here. `checkHost` answers a missing host with the envelope.
  Object.assign(server, {
    connectionsCheckingInterval: times.checkMs,
    requireHostHeader: false,
    httpAllowHalfOpen: true,
  });
  const answering = new WeakSet<Socket>();
  server.prependListener('request', ({ socket }, response) => {
    answering.add(socket);
    response.once('close', () => answering.delete(socket));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    const socket = stream as Socket;
    // Nothing may be written into an answer that is under way.
    if (!socket.writable || answering.has(socket) || error.code === 'ECONNRESET')
      return void socket.destroy();
    socket.end(refusal(error.code ?? ''), () => socket.destroy());
  });
}

function refusal(errorCode: string): string {
  const { status, code, message } = REFUSALS[errorCode] ?? MALFORMED;
  const body = JSON.stringify({ code, message, data: null });
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'X-Content-Type-Options: nosniff',
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
