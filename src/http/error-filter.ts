import { Catch, Logger, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ConsiliumError } from '../domain/errors.js';
import { noteLimit } from '../lib/measured-response.js';
import { reportDenied } from '../redis/store-failure.js';
import { withFaults } from './parse.js';
import { requestIdOf } from '../lib/request-id.js';
import { STATUS_OF, toConsiliumError } from './to-consilium-error.js';

/** Sends an error in the envelope of contract section 3. */
export function answerError(
  { options, code, message: said }: ConsiliumError,
  { path }: Request,
  response: Response,
): void {
  const { faults, retryAfterSeconds, details, headers = {} } = options;
  const message = withFaults(said, faults ?? []);
  if (options.limit !== undefined) noteLimit(response, options.limit);
  if (retryAfterSeconds !== undefined) response.setHeader('Retry-After', String(retryAfterSeconds));
  response
    .status(STATUS_OF[code])
    // The route may have set the type of its own answer.
    .type('application/json')
    .set(headers)
    .json({
      code,
      message,
      data: faults ? { errors: faults } : (details ?? null),
      // Clients of this path read this key (contract section 10).
      ...(path.startsWith('/chat/') && { detail: message }),
    });
}

const internal = () =>
  new ConsiliumError(
    'INTERNAL_ERROR',
    'An internal error occurred. The log of the service has the details',
  );

/** Converts every error to a response without internals of the service. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger(ErrorFilter.name);

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    const known = toConsiliumError(error, request);
    reportDenied(error, this.logger);
    if (!known)
      this.logger.error({
        msg: `${request.method} ${request.path} failed`,
        requestId: requestIdOf(response),
        error: String(error),
        stack: (error as Error)?.stack,
      });
    // An error after the start of a stream can only end it; the client resumes.
    if (response.headersSent) return void response.end();
    answerError(known ?? internal(), request, response);
  }
}
