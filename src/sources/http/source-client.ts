import { request as plainRequest, type IncomingMessage } from 'node:http';
import { request as tlsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { SourceError } from './source-error.js';

const MOST_BYTES = 2 * 1024 * 1024;
const TIMEOUT_MS = 10_000;
/** A busy server may ask for a pause; a longer one is not waited for. */
const MOST_PAUSE_SECONDS = 5;

/** Checks where a connection may go, and resolves its name once. */
export interface Egress {
  /** @throws where it may not go */
  resolve(target: {
    host: string;
    port: number;
  }): Promise<readonly { address: string; family: 4 | 6 }[]>;
}

export interface SourceServer {
  endpoint: string;
  egress: Egress;
  /** The header `Authorization` of a request, read for each one. */
  authorization?: () => Promise<string>;
  timeoutMs?: number;
}

/**
 * POSTs a form to a source and reads its JSON. At most 2 MiB and ten seconds; no redirects; one repetition where the server asks
 * for a short pause (429, 503 with Retry-After).
 *
 * @throws SourceError; the signal's reason
 */
export async function askSource(
  server: SourceServer,
  path: string,
  form: Record<string, string>,
  signal: AbortSignal,
): Promise<unknown> {
  const first = await exchange(server, path, form, signal);
  const answer = isBusy(first) ? await afterPause(first, server, path, form, signal) : first;
  return readAnswer(answer, server.endpoint);
}

interface Answer {
  status: number;
  retryAfter: number;
  body: string;
}

const isBusy = ({ status, retryAfter }: Answer): boolean =>
  (status === 429 || status === 503) && retryAfter <= MOST_PAUSE_SECONDS;

async function afterPause(
  { retryAfter }: Answer,
  ...[server, path, form, signal]: Parameters<typeof askSource>
): Promise<Answer> {
  const pause = AbortSignal.timeout(retryAfter * 1_000);
  await new Promise<void>((resolve) => {
    AbortSignal.any([pause, signal]).addEventListener('abort', () => resolve(), { once: true });
  });
  signal.throwIfAborted();
  return exchange(server, path, form, signal);
}

async function exchange(
  { endpoint, egress, authorization, timeoutMs = TIMEOUT_MS }: SourceServer,
  path: string,
  form: Record<string, string>,
  signal: AbortSignal,
): Promise<Answer> {
  signal.throwIfAborted();
  const url = new URL(`${endpoint.replace(/\/+$/, '')}${path}`);
  const isTls = url.protocol === 'https:';
  const port = Number(url.port || (isTls ? 443 : 80));
  const header = await authorization?.();
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const [address] = await egress.resolve({ host: url.hostname.replace(/^\[|\]$/g, ''), port });
    if (address === undefined) throw new Error(`${url.hostname} has no address`);
    const lookup: LookupFunction = (_host, options, done) =>
      options.all ? done(null, [address]) : done(null, address.address, address.family);
    const body = new URLSearchParams(form).toString();
    const headers = {
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': String(Buffer.byteLength(body)),
      ...(header !== undefined && { authorization: header }),
    };
    return await new Promise<Answer>((resolve, reject) => {
      const outgoing = (isTls ? tlsRequest : plainRequest)(
        url,
        {
          ...{ method: 'POST', headers, lookup, agent: false },
          signal: AbortSignal.any([signal, timeout]),
        },
        (incoming) => void readBody(incoming).then(resolve, reject),
      );
      outgoing.once('error', reject);
      outgoing.end(body);
    });
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof SourceError) throw cause;
    const why = timeout.aborted
      ? `no answer within ${timeoutMs} ms`
      : cause instanceof Error
        ? cause.message
        : String(cause);
    throw new SourceError('unreachable', `${url.host}: ${why}`, { cause });
  }
}

async function readBody(incoming: IncomingMessage): Promise<Answer> {
  const parts: Buffer[] = [];
  let held = 0;
  for await (const part of incoming as AsyncIterable<Buffer>) {
    held += part.length;
    if (held > MOST_BYTES) {
      incoming.destroy();
      throw new SourceError('failed', 'its answer is larger than 2 MiB: narrow the selector');
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

function readAnswer({ status, body }: Answer, endpoint: string): unknown {
  const { host } = new URL(endpoint);
  if (status === 401 || status === 403)
    throw new SourceError('refused', `${host}: the credential may not look (status ${status})`);
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw new SourceError('failed', `${host}: status ${status}, and no JSON`);
  }
  if (status >= 200 && status < 300) return value;
  const { errorType, error } = (value ?? {}) as { errorType?: unknown; error?: unknown };
  const said = [errorType, error].filter((text) => typeof text === 'string').join(': ');
  throw new SourceError('failed', `${host}: status ${status}: ${said.slice(0, 500)}`);
}
