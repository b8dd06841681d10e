import type { Request } from 'express';
import { LOCAL, principalOf, startedBy } from '../../http/access/principal.js';
import { traceparentOf } from '../../http/traceparent.js';
import type { Turn } from '../turn.js';

/** A turn with the principal that asks: the oracle does only what its role allows, and what it starts is the principal's. */
export function askedBy(request: Request, turn: Turn): Turn {
  const principal = principalOf(request);
  const traced = { ...turn, traceparent: traceparentOf(request) };
  if (principal === LOCAL) return traced;
  return { ...traced, role: principal.role, startedBy: startedBy(principal) };
}
