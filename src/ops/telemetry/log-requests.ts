import type { RequestHandler } from 'express';
import { pinoHttp } from 'pino-http';
import type { Logger } from 'pino';

/** Logs each request when it has ended: at `debug`, or at a higher level if it failed. */
export const logRequests = (logger: Logger): RequestHandler =>
  pinoHttp({
    logger,
    quietReqLogger: true,
    customLogLevel: (_request, { statusCode }, error) =>
      statusCode === 503 ? 'warn' : error || statusCode >= 500 ? 'error' : 'debug',
    // The error filter has logged the error; this line only mentions it.
    customErrorObject: (
      _request,
      _response,
      _error,
      { err: _, ...line }: Record<string, unknown>,
    ) => line,
    // No headers, bodies or query strings: they may contain credentials.
    serializers: {
      req: (request: { method: string; url: string }) => ({
        method: request.method,
        path: request.url.replace(/\?.*$/s, ''),
      }),
      res: (response: { statusCode: number }) => ({ status: response.statusCode }),
    },
  });
