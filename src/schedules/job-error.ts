import { UnrecoverableError } from 'bullmq';
import { ConsiliumError } from '../domain/errors.js';

/** The error of a start, for the queue: a start is retried if its cause is temporary. */
export const asJobError = (error: unknown): unknown =>
  error instanceof ConsiliumError && !['UNAVAILABLE', 'RATE_LIMITED'].includes(error.code)
    ? new UnrecoverableError(error.message)
    : error;
