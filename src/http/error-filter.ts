import { Catch, Logger, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ConsiliumError } from '../domain/errors.js';
import { reportDenied } from '../redis/store-trouble.js';
import { STATUS_OF, toConsiliumError } from './to-consilium-error.js';

/** Writes an error as the answer of a request, in the envelope of contract section 3. */
export function answerError(
  { options, code, message }: ConsiliumError,
  { path }: Request,
  response: Response,
): void {
  const { faults, retryAfterSeconds, details, headers = {} } = options;
  if (retryAfterSeconds !== undefined) response.setHeader('Retry-After', String(retryAfterSeconds));
  response
    .status(STATUS_OF[code])
    .set(headers)
    .json({
      code,
      message,
      data: faults ? { errors: faults } : (details ?? null),
      // The clients of this path read this key: contract section 10.
      ...(path.startsWith('/chat/') && { detail: message }),
    });
}

const internal = () =>
  new ConsiliumError('INTERNAL_ERROR', 'Something went wrong in the service; it has been logged');

/** The one place where an error becomes an answer, without anything about the insides of the service. */
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
        error: String(error),
        stack: (error as Error)?.stack,
      });
    // An error after a stream has begun can only end it: the client resumes.
    if (response.headersSent) return void response.end();
    answerError(known ?? internal(), request, response);
  }
}
