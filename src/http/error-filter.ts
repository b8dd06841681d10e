import { Catch, Logger, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ConsiliumError } from '../domain/errors.js';
import { STATUS_OF, toConsiliumError } from './to-consilium-error.js';

/** The one place where an error becomes an answer: the contract's envelope, and nothing of our insides. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger(ErrorFilter.name);

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    const told =
      toConsiliumError(error, {
        method: request.method,
        path: request.originalUrl.replace(/\?.*$/s, ''),
      }) ??
      new ConsiliumError(
        'INTERNAL_ERROR',
        'Something went wrong in the service; it has been logged',
      );
    if (told.code === 'INTERNAL_ERROR')
      this.logger.error({
        msg: `${request.method} ${request.path} failed`,
        error: String(error),
        stack: (error as Error)?.stack,
      });
    // Once a stream has begun, trouble can only end it: the client resumes.
    if (response.headersSent) return void response.end();
    const { faults, retryAfterSeconds, details } = told.options;
    if (retryAfterSeconds !== undefined)
      response.setHeader('Retry-After', String(retryAfterSeconds));
    response.status(STATUS_OF[told.code]).json({
      code: told.code,
      message: told.message,
      data: faults ? { errors: faults } : (details ?? null),
      ...(request.path.startsWith('/chat/') && { detail: told.message }),
    });
  }
}
