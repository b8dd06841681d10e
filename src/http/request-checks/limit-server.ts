import { STATUS_CODES, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { NextFunction, Request, Response } from 'express';
import { ConsiliumError, type ErrorCode } from '../../domain/errors.js';

/** Maximum times for the parts of a request, in ms. */
export interface RequestTimes {
  headersMs: number;
  requestMs: number;
  /** Interval of the check. */
  checkMs: number;
}

/** @internal Exported for tests. */
export const REQUEST_TIMES: RequestTimes = { headersMs: 10_000, requestMs: 30_000, checkMs: 2_000 };

const REQUESTS_PER_CONNECTION = 10_000;
const MOST_HEADERS = 100;
/** Maximum number of connections without a stream. */
const OTHER_CONNECTIONS = 1_000;

interface Refusal {
  status: number;
  code: ErrorCode;
  message: string;
}

/** Responses to errors of Node's parser. RFC 9110 and RFC 6585 define the statuses. */
const REFUSALS: Record<string, Refusal> = {
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
/** RFC 9110 section 10.1.1. */
const NO_EXPECTATION: Refusal = {
  status: 417,
  code: 'EXPECTATION_FAILED',
  message: 'The only expectation that this service can meet is 100-continue',
};
const MALFORMED: Refusal = {
  status: 400,
  code: 'VALIDATION_FAILED',
  message: 'This is not a valid HTTP/1.1 request',
};

/** Listeners of one event of a response. Node.js warns of more. */
const MOST_LISTENERS = 20;

/**
 * Limits what a client can use of a server and sends an envelope to invalid requests. A client that
 * ends its sending half after the request still gets its response. Call it before `listen`.
 * @param streams maximum number of open streams
 */
export function limitServer(server: Server, streams: number, times = REQUEST_TIMES): void {
  server.headersTimeout = times.headersMs;
  server.requestTimeout = times.requestMs;
  server.maxRequestsPerSocket = REQUESTS_PER_CONNECTION;
  // Node.js drops headers beyond it and reports nothing: one more than `checkHeaderCount` lets
  // through.
  server.maxHeadersCount = MOST_HEADERS + 1;
  server.maxConnections = streams + OTHER_CONNECTIONS;
  // Options of `createServer`, which Nest calls. `checkHost` handles a missing host, to send an
  // envelope.
  Object.assign(server, {
    connectionsCheckingInterval: times.checkMs,
    requireHostHeader: false,
    httpAllowHalfOpen: true,
  });
  const open = new WeakMap<Socket, Set<ServerResponse>>();
  server.prependListener('request', ({ socket }, response) => {
    const responses = open.get(socket) ?? new Set();
    open.set(socket, responses.add(response));
    // Limits, leases, logs, the audit log and the stream each listen for its end: with
    // authentication up to twelve listeners.
    response.setMaxListeners(MOST_LISTENERS);
    response.once('close', () => responses.delete(response));
  });
  server.on('checkExpectation', (_request: unknown, response: ServerResponse) => {
    const { status, headers, body } = envelopeOf(NO_EXPECTATION);
    response.writeHead(status, headers).end(body);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    const socket = stream as Socket;
    // Nothing may be written into a response that has begun, or that belongs to an earlier request.
    const [first, ...others] = open.get(socket) ?? [];
    const isBusy = first && (others.length > 0 || first.req.complete || first.headersSent);
    if (!socket.writable || isBusy || error.code === 'ECONNRESET') return void socket.destroy();
    socket.end(refusal(error.code ?? ''), () => socket.destroy());
  });
}

/**
 * Refuses a request with more headers than the server reads: checks of the remaining ones would
 * prove nothing.
 */
export function checkHeaderCount(request: Request, _response: Response, next: NextFunction): void {
  if (request.rawHeaders.length <= 2 * MOST_HEADERS) return next();
  next(
    new ConsiliumError('HEADERS_TOO_LARGE', `The request has more than ${MOST_HEADERS} headers`),
  );
}

function refusal(errorCode: string): string {
  const { status, headers, body } = envelopeOf(REFUSALS[errorCode] ?? MALFORMED);
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '',
    body,
  ].join('\r\n');
}

function envelopeOf({ status, code, message }: Refusal) {
  const body = JSON.stringify({ code, message, data: null });
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'X-Content-Type-Options': 'nosniff',
    Connection: 'close',
  };
  return { status, headers, body };
}
