import type { Request, RequestHandler, Response } from 'express';
import { FIRST_FRAMES, limitOf } from '../../lib/measured-response.js';
import type { Instruments } from './instruments.js';

/** Paths that no route handles: files of the console, documentation, and what does not exist. */
const NO_ROUTE = 'none';
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

type MeasuredBy = Pick<
  Instruments,
  'requests' | 'requestSeconds' | 'firstEventSeconds' | 'authFailures' | 'rateLimited'
>;

const routeOf = ({ route }: Request): string => {
  const { path } = (route ?? {}) as { path?: unknown };
  return typeof path === 'string' ? path : NO_ROUTE;
};

/**
 * Counts each request when it has ended, by the template of its route. Streams are counted; those
 * that start a run are timed up to their first event.
 */
export const measureRequests =
  ({ requests, requestSeconds, firstEventSeconds, ...refused }: MeasuredBy): RequestHandler =>
  (request, response, next) => {
    const started = performance.now();
    const seconds = () => (performance.now() - started) / 1_000;
    if (request.method === 'POST')
      response.once(FIRST_FRAMES, () => {
        if (!response.destroyed) firstEventSeconds.observe({ route: routeOf(request) }, seconds());
      });
    response.once('close', () => {
      const route = routeOf(request);
      const method = METHODS.has(request.method) ? request.method : 'other';
      requests.inc({ method, route, status: String(response.statusCode) });
      countRefusal(request, response, refused);
      const type = String(response.getHeader('content-type') ?? '');
      if (!type.startsWith('text/event-stream'))
        requestSeconds.observe({ method, route }, seconds());
    });
    next();
  };

/**
 * Headers that carry a credential, in the order in which they are looked at, and the label of each.
 */
const CREDENTIALS = [
  ['authorization', 'bearer'],
  ['x-api-key', 'key'],
  ['cookie', 'cookie'],
] as const;
function countRefusal(
  request: Request,
  response: Response,
  { authFailures, rateLimited }: Pick<Instruments, 'authFailures' | 'rateLimited'>,
): void {
  const { statusCode } = response;
  if (statusCode === 429) rateLimited.inc({ limit: limitOf(response) ?? 'other' });
  if (statusCode !== 401 && statusCode !== 403) return;
  const given = CREDENTIALS.find(([header]) => request.headers[header] !== undefined);
  authFailures.inc({ how: given?.[1] ?? 'none', status: String(statusCode) });
}
