import type { NextFunction, Request, Response } from 'express';
import { ConsiliumError } from '../../domain/errors.js';

/**
 * Refuses several `Authorization` headers with 400: Node.js would keep the first and drop the
 * others, and a proxy in between may have checked another one. RFC 9110 section 5.3.
 */
export function checkAuthorization(
  { headersDistinct }: Request,
  _response: Response,
  next: NextFunction,
): void {
  if ((headersDistinct['authorization']?.length ?? 0) < 2) return next();
  const faults = [{ path: 'Authorization', message: 'must be sent at most once' }];
  next(new ConsiliumError('VALIDATION_FAILED', 'The request is not valid', { faults }));
}
