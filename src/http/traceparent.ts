import type { Request } from 'express';
import { readTraceparent, writeTraceparent } from '../domain/trace-context.js';

/** The trace context of a request; undefined if it has none, or one that is not valid. */
export function traceparentOf(request: Request): string | undefined {
  const context = readTraceparent(request.get('traceparent'));
  return context && writeTraceparent(context);
}
