import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import { requestIdOf } from '../../lib/request-id.js';

/**
 * Logs each request when it has ended: at `debug`, or at a higher level if it failed. No headers,
 * bodies or query strings: they may contain credentials. A request has no logger of its own,
 * because a stream would keep it as long as it lasts.
 */
export const logRequests =
  (logger: Logger): RequestHandler =>
  (request, response, next) => {
    const { method, url } = request;
    const started = performance.now();
    let failed = false;
    response.once('error', () => (failed = true));
    response.once('close', () => {
      const { statusCode: status } = response;
      // The error filter has logged the error; this line only mentions it.
      const level = status === 503 ? 'warn' : failed || status >= 500 ? 'error' : 'debug';
      const line = {
        requestId: requestIdOf(response),
        req: { method, path: url.replace(/\?.*$/s, '') },
        res: { status },
        responseTime: Math.round(performance.now() - started),
      };
      logger[level](line, response.writableFinished ? 'request completed' : 'request aborted');
    });
    next();
  };
