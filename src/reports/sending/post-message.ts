import { request as plainRequest, type IncomingMessage } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { boundHead } from '../../lib/http/bound-head.js';
import { amongAddresses } from '../../lib/http/among-addresses.js';
import type { EgressPolicy } from '../../tools/egress/egress-policy.js';

export interface PostRequest {
  url: string;
  body: string;
  headers: Record<string, string>;
}

export interface PostOptions {
  egress: Pick<EgressPolicy, 'resolve'>;
  /** Maximum ms until the head of the response. */
  timeoutMs: number;
  signal: AbortSignal;
}

/** The status of an answer, and the pause that it asks for. */
export interface PostResponse {
  status: number;
  retryAfterSeconds?: number;
}

/**
 * POSTs JSON to a checked address. Follows no redirect. Only the head of the response is read: its
 * body may be huge, or never end.
 * @throws EgressDeniedError; errors of the connection, or a timeout. No message contains the URL
 */
export async function postMessage(
  { url: text, body, headers }: PostRequest,
  { egress, timeoutMs, signal }: PostOptions,
): Promise<PostResponse> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new Error('the URL is not a valid http or https URL');
  const isTls = url.protocol === 'https:';
  const port = Number(url.port || (isTls ? 443 : 80));
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const among = amongAddresses('the host', await egress.resolve({ host, port }));
    return await new Promise<PostResponse>((resolve, reject) => {
      const outgoing = boundHead(
        (isTls ? tlsRequest : plainRequest)(
          url,
          {
            method: 'POST',
            headers: {
              'content-type': 'application/json',
              'content-length': String(Buffer.byteLength(body)),
              'user-agent': 'consilium',
              ...headers,
            },
            ...among,
            agent: false,
            signal: AbortSignal.any([signal, timeout]),
          },
          (incoming) => {
            resolve(readHead(incoming));
            incoming.destroy();
          },
        ),
      );
      outgoing.once('error', reject);
      outgoing.end(body);
    });
  } catch (cause) {
    signal.throwIfAborted();
    if (!timeout.aborted) throw cause;
    throw new Error(`no answer within ${timeoutMs / 1_000} s`, { cause });
  }
}

function readHead({ statusCode = 0, headers }: IncomingMessage): PostResponse {
  const seconds = Number(headers['retry-after'] ?? NaN);
  return { status: statusCode, ...(seconds >= 0 && { retryAfterSeconds: seconds }) };
}
