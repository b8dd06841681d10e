import type { RequestHandler } from 'express';
import type { Instruments } from './instruments.js';

/** Paths that no route handles: files of the console, documentation, and what does not exist. */
const NO_ROUTE = 'none';
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Counts each request when it has ended, by the template of its route. Streams are counted, and not timed. */
export const measureRequests =
  ({ requests, requestSeconds }: Instruments): RequestHandler =>
  (request, response, next) => {
    const started = performance.now();
    response.once('close', () => {
      const { path } = (request.route ?? {}) as { path?: unknown };
      const route = typeof path === 'string' ? path : NO_ROUTE;
      const method = METHODS.has(request.method) ? request.method : 'other';
      requests.inc({ method, route, status: String(response.statusCode) });
      const type = String(response.getHeader('content-type') ?? '');
      if (!type.startsWith('text/event-stream'))
        requestSeconds.observe({ method, route }, (performance.now() - started) / 1_000);
    });
    next();
  };
