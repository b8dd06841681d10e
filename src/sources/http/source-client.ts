import { request as plainRequest, type IncomingMessage } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { exceededBound } from '../../lib/json-bounds.js';
import { boundHead } from '../../lib/http/bound-head.js';
import { amongAddresses } from '../../lib/http/among-addresses.js';
import type { Egress, HeldConnection, SourceServer } from './source-server.js';
import { connectionWords } from './connection-words.js';
import { hostPortOfUrl, withConnection } from './source-connection.js';
import { SourceError } from './source-error.js';

/** Maximum size of one answer, and of all answers of a reading. */
export const MOST_BYTES = 2 * 1024 * 1024;
/**
 * Limits that keep parsing and validation below 100 ms: validators report a fault for each entry of
 * a list.
 */
const JSON_BOUNDS = { depth: 64, entries: 20_000, values: 400_000 };
const TIMEOUT_MS = 10_000;
/** A busy server may ask for a pause; longer ones are not waited for. */
const MOST_PAUSE_SECONDS = 5;

/** A request to a source: a GET, or the POST of a form or of JSON. */
export interface SourceQuestion {
  /** With its query. */
  path: string;
  form?: Readonly<Record<string, string>>;
  /** Replaces a form. */
  json?: string;
  headers?: Readonly<Record<string, string>>;
  mostBytes?: number;
  /** A status other than 2xx whose body is an answer. */
  answerStatus?: number;
}

/**
 * Sends a request to a source and reads its JSON. At most 2 MiB, 400,000 values, 20,000 entries of
 * one list and ten seconds; no redirects; one retry if the server asks for a short pause (429, 503
 * with Retry-After).
 * @throws SourceError; the signal's reason
 */
export async function askSource(
  server: SourceServer,
  question: SourceQuestion,
  signal: AbortSignal,
): Promise<unknown> {
  return jsonIn(await readSource(server, question, signal), server);
}

/**
 * The same, as the text of a successful answer.
 * @throws SourceError; the signal's reason
 */
export async function readSource(
  server: SourceServer,
  question: SourceQuestion,
  signal: AbortSignal,
): Promise<string> {
  const first = await exchange(server, question, signal);
  if (!isBusy(first)) return textOf(first, server, question);
  await pauseFor(first.retryAfter, signal);
  return textOf(await exchange(server, question, signal), server, question);
}

interface Answer {
  status: number;
  retryAfter: number;
  body: string;
}

const isBusy = ({ status, retryAfter }: Answer): boolean =>
  (status === 429 || status === 503) && retryAfter <= MOST_PAUSE_SECONDS;

async function pauseFor(seconds: number, signal: AbortSignal): Promise<void> {
  const pause = AbortSignal.timeout(seconds * 1_000);
  await new Promise<void>((resolve) => {
    AbortSignal.any([pause, signal]).addEventListener('abort', () => resolve(), { once: true });
  });
  signal.throwIfAborted();
}

async function exchange(
  server: SourceServer,
  question: SourceQuestion,
  signal: AbortSignal,
): Promise<Answer> {
  signal.throwIfAborted();
  const { endpoint, connection, timeoutMs = TIMEOUT_MS } = server;
  if (connection === undefined)
    return withConnection(server, (connected) => exchange(connected, question, signal));
  // The wait for a place is not counted as the server's time.
  await connection.ready(signal).catch((cause: unknown) => {
    signal.throwIfAborted();
    throw new SourceError('unreachable', textOfError(cause), { cause });
  });
  const url = new URL(`${endpoint.replace(/\/+$/, '')}${question.path}`);
  const [header, ca] = await Promise.all([server.authorization?.(), server.authority?.()]).catch(
    (cause: unknown) => {
      throw new SourceError('failed', textOfError(cause), { cause });
    },
  );
  if ((ca ?? server.tls?.ca)?.includes('-----BEGIN CERTIFICATE-----') === false)
    throw new SourceError('failed', 'its `ca` holds no certificate (PEM)');
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const among = await addressesOf(url, server.egress);
    return await send(server, question, {
      url,
      header,
      ca,
      among,
      connection,
      signal: AbortSignal.any([signal, timeout]),
    });
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof SourceError) throw cause;
    const why = timeout.aborted ? `no answer within ${timeoutMs} ms` : connectionWords(cause);
    const waited = timeout.aborted && { waitedMs: timeoutMs };
    throw new SourceError('unreachable', `${url.host}: ${why}`, { cause, ...waited });
  }
}

const textOfError = (cause: unknown): string =>
  cause instanceof Error ? cause.message : String(cause);

/** The checked addresses of a server, as options of a request. */
export const addressesOf = async (url: URL, egress: Egress): Promise<AddressChoice> =>
  amongAddresses(url.hostname, await egress.resolve(hostPortOfUrl(url)));
export type AddressChoice = ReturnType<typeof amongAddresses>;

interface SourceRequest {
  url: URL;
  header: string | undefined;
  ca: string | undefined;
  among: AddressChoice;
  connection: HeldConnection;
  signal: AbortSignal;
}

function send(
  { tls = {}, headers: own = {} }: SourceServer,
  { form, json, headers = {}, mostBytes = MOST_BYTES }: SourceQuestion,
  { url, header, ca, among, connection, signal }: SourceRequest,
): Promise<Answer> {
  const body = json === undefined ? form && new URLSearchParams(form).toString() : json;
  const type = json === undefined ? 'application/x-www-form-urlencoded' : 'application/json';
  const options = {
    ...among,
    method: body === undefined ? 'GET' : 'POST',
    agent: connection.agent,
    signal,
    headers: {
      accept: 'application/json',
      ...own,
      ...headers,
      ...(body !== undefined && {
        'content-type': type,
        'content-length': String(Buffer.byteLength(body)),
      }),
      ...(header !== undefined && { authorization: header }),
    },
  };
  return new Promise((resolve, reject) => {
    const take = (incoming: IncomingMessage) =>
      void readBody(incoming, mostBytes).then(resolve, reject);
    const outgoing = boundHead(
      url.protocol === 'https:'
        ? tlsRequest(url, { ...options, ...tls, ...(ca !== undefined && { ca }) }, take)
        : plainRequest(url, options, take),
    );
    outgoing.once('error', reject);
    outgoing.once('socket', (socket) => connection.uses(socket));
    outgoing.end(body);
  });
}

async function readBody(incoming: IncomingMessage, mostBytes: number): Promise<Answer> {
  const parts: Buffer[] = [];
  let held = 0;
  for await (const part of incoming as AsyncIterable<Buffer>) {
    held += part.length;
    if (held > mostBytes) {
      incoming.destroy();
      throw new SourceError(
        'failed',
        `its answer is larger than ${showSize(mostBytes)}: narrow the selector`,
        { isTooLarge: true },
      );
    }
    parts.push(part);
  }
  const retryAfter = Number(incoming.headers['retry-after'] ?? NaN);
  return {
    status: incoming.statusCode ?? 0,
    retryAfter: Number.isFinite(retryAfter) && retryAfter >= 0 ? retryAfter : Infinity,
    body: Buffer.concat(parts).toString('utf8'),
  };
}

const showSize = (bytes: number): string =>
  bytes >= 2 ** 20 ? `${Math.round(bytes / 2 ** 20)} MiB` : `${Math.round(bytes / 2 ** 10)} KiB`;

function textOf(
  { status, body }: Answer,
  server: SourceServer,
  { answerStatus }: SourceQuestion,
): string {
  if ((status >= 200 && status < 300) || status === answerStatus) return body;
  const { host } = new URL(server.endpoint);
  if (status === 401 || status === 403) {
    const isKnown = server.authorization !== undefined || server.tls?.cert !== undefined;
    const why = isKnown
      ? 'the credential has no right to read'
      : 'it requires a credential, and SOURCES_FILE lists none for it';
    const words = refusalIn(body, server, status);
    throw new SourceError('refused', `${host}: ${why} (status ${status})${words}`, { status });
  }
  const known = STATUSES[Math.floor(status / 100)] ?? STATUSES[status];
  if (known !== undefined && !body.startsWith('{'))
    throw new SourceError('failed', `${host}: ${known} (status ${status})`, { status });
  const said = errorIn(body, server, status, MOST_ERROR);
  throw new SourceError('failed', `${host}: status ${status}: ${said}`, { status });
}

/** Maximum characters of a server's error text, and of its reason for refusing a credential. */
const MOST_ERROR = 500;
const MOST_REFUSAL = 200;

/** A server's reason for refusing a credential; empty if its JSON has none. */
function refusalIn(body: string, server: SourceServer, status: number): string {
  try {
    const said = errorIn(body, server, status, MOST_REFUSAL);
    return said === '' ? '' : `: ${said}`;
  } catch {
    return '';
  }
}

/** A server's error text. */
function errorIn(body: string, server: SourceServer, status: number, most: number): string {
  const { errorType, error, message, reason } = (jsonIn(body, server, status) ?? {}) as ErrorBody;
  // Elasticsearch has an object there.
  const of =
    typeof error === 'object' && error !== null && 'reason' in error ? error.reason : error;
  const texts = [errorType, of, message, reason].filter((text) => typeof text === 'string');
  return texts.join(': ').slice(0, most);
}

/** Statuses, or their first digit, whose answers contain no further information. */
const STATUSES: Readonly<Record<number, string>> = {
  3: 'it redirects, and redirects are not followed: list the address that answers itself',
  429: 'it wants fewer requests',
};

/** The fields in which servers put the error text. */
interface ErrorBody {
  errorType?: unknown;
  error?: unknown;
  message?: unknown;
  /** RabbitMQ, beside `error`. */
  reason?: unknown;
}

const EXCEEDED = {
  depth: `is nested deeper than ${JSON_BOUNDS.depth} levels`,
  entries: `has more than ${JSON_BOUNDS.entries} entries in one list or object`,
  values: `has more than ${JSON_BOUNDS.values} values`,
};

function jsonIn(body: string, { endpoint }: SourceServer, status = 200): unknown {
  const exceeded = exceededBound(Buffer.from(body), JSON_BOUNDS);
  if (exceeded)
    throw new SourceError(
      'failed',
      `${new URL(endpoint).host}: its answer ${EXCEEDED[exceeded]}: narrow the selector`,
      { status, isTooLarge: true },
    );
  try {
    return JSON.parse(body);
  } catch {
    const { host } = new URL(endpoint);
    throw new SourceError('failed', `${host}: status ${status}, and no JSON`, { status });
  }
}
