import type { RequestHandler } from 'express';
import { pinoHttp } from 'pino-http';
import type { Logger } from 'pino';

/** A line for each request when it has ended; at `debug`, but for those that went wrong. */
export const logRequests = (logger: Logger): RequestHandler =>
  pinoHttp({
    logger,
    quietReqLogger: true,
    customLogLevel: (_request, { statusCode }, error) =>
      statusCode === 503 ? 'warn' : error || statusCode >= 500 ? 'error' : 'debug',
    // The error filter has logged the error; this line only says that there was one.
    customErrorObject: (
      _request,
      _response,
      _error,
      { err: _, ...line }: Record<string, unknown>,
    ) => line,
    // Never headers, bodies or query strings: they may hold credentials.
    serializers: {
      req: (request: { method: string; url: string }) => ({
        method: request.method,
        path: request.url.replace(/\?.*$/s, ''),
      }),
      res: (response: { statusCode: number }) => ({ status: response.statusCode }),
    },
  });
