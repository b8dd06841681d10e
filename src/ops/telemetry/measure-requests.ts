import type { Request, RequestHandler, Response } from 'express';
import type { Instruments } from './instruments.js';

/** Paths that no route handles: files of the console, documentation, and what does not exist. */
const NO_ROUTE = 'none';
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

type MeasuredBy = Pick<Instruments, 'requests' | 'requestSeconds' | 'authFailures' | 'rateLimited'>;

/** Counts each request when it has ended, by the template of its route. Streams are counted, and not timed. */
export const measureRequests =
  ({ requests, requestSeconds, ...refused }: MeasuredBy): RequestHandler =>
  (request, response, next) => {
    const started = performance.now();
    response.once('close', () => {
      const { path } = (request.route ?? {}) as { path?: unknown };
      const route = typeof path === 'string' ? path : NO_ROUTE;
      const method = METHODS.has(request.method) ? request.method : 'other';
      requests.inc({ method, route, status: String(response.statusCode) });
      countRefusal(request, response, refused);
      const type = String(response.getHeader('content-type') ?? '');
      if (!type.startsWith('text/event-stream'))
        requestSeconds.observe({ method, route }, (performance.now() - started) / 1_000);
    });
    next();
  };

/** Headers that carry a credential, in the order in which they are looked at, and the label of each. */
const CREDENTIALS = [
  ['authorization', 'bearer'],
  ['x-api-key', 'key'],
  ['cookie', 'cookie'],
] as const;
/** Names of limits are those of the RateLimit header; others, open streams for example, have none. */
const RATE = /^"([a-z]{1,30})"/;

function countRefusal(
  request: Request,
  response: Response,
  { authFailures, rateLimited }: Pick<Instruments, 'authFailures' | 'rateLimited'>,
): void {
  const { statusCode } = response;
  if (statusCode === 429)
    rateLimited.inc({ limit: RATE.exec(String(response.getHeader('RateLimit')))?.[1] ?? 'other' });
  if (statusCode !== 401 && statusCode !== 403) return;
  const given = CREDENTIALS.find(([header]) => request.headers[header] !== undefined);
  authFailures.inc({ how: given?.[1] ?? 'none', status: String(statusCode) });
}
