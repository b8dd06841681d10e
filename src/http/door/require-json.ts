import type { NextFunction, Request, Response } from 'express';
import { ConsiliumError } from '../../domain/errors.js';

/** Refuses a body that is not JSON, before it is read. */
export function requireJson(request: Request, _response: Response, next: NextFunction): void {
  const hasBody =
    request.headers['transfer-encoding'] !== undefined ||
    Number(request.headers['content-length'] ?? 0) > 0;
  if (!hasBody || request.is(['application/json', 'application/*+json'])) return next();
  const sent = request.headers['content-type'] ?? 'none';
  next(
    new ConsiliumError(
      'UNSUPPORTED_MEDIA_TYPE',
      `The body must be application/json, not ${sent.slice(0, 100)}`,
    ),
  );
}
