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
    // Whoever caught an error has logged it; this one only says that there was one, with a stack of this logger's own.
    customErrorObject: (
      _request,
      _response,
      _error,
      { err: _, ...line }: Record<string, unknown>,
    ) => line,
    // Never headers or bodies: there may be credentials in them.
    serializers: {
      req: (request: { method: string; url: string }) => ({
        method: request.method,
        url: request.url,
      }),
      res: (response: { statusCode: number }) => ({ status: response.statusCode }),
    },
  });
