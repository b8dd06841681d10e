import type { Request } from 'express';
import { LOCAL, principalOf, startedBy } from '../../http/access/principal.js';
import { traceparentOf } from '../../http/traceparent.js';
import { refuseBlindRetry } from '../../streams/stream-query.js';
import type { IdempotentPost, OracleRequest } from '../oracle-request.js';

/**
 * A turn with the principal that asks: the oracle may do only what the principal's role allows, and
 * the principal owns what it starts.
 */
export function askedBy(request: Request, turn: OracleRequest): OracleRequest {
  const principal = principalOf(request);
  const traced = { ...turn, traceparent: traceparentOf(request) };
  if (principal === LOCAL) return traced;
  return { ...traced, role: principal.role, startedBy: startedBy(principal) };
}

/**
 * The key with which a message may be sent again.
 * @param resumes whether the client has received a part of its stream
 * @throws ConsiliumError VALIDATION_FAILED for a blind retry
 */
export function keyOf(request: Request, resumes = false): IdempotentPost | undefined {
  const key = request.get('idempotency-key');
  refuseBlindRetry(request.get('last-event-id'), key);
  return key ? { key, path: request.path, resumes } : undefined;
}
