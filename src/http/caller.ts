import { hash } from 'node:crypto';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { inTenant } from '../domain/tenant.js';
import { LOCAL, principalOf, type Principal } from './access/principal.js';

const COOKIE = /(?:^|;\s*)consilium_caller=([A-Za-z0-9_-]{16,128})(?:;|$)/;

/**
 * The identity of a caller: its principal. Without authentication: the credential that it sends,
 * otherwise the cookie `consilium_caller`, otherwise its address.
 */
function identityOf(request: Request): string {
  const principal = principalOf(request);
  if (principal !== LOCAL) return `principal ${JSON.stringify([principal.tenant, principal.name])}`;
  const { headers, socket } = request;
  const key = headers['x-api-key'];
  if (headers.authorization) return `authorization ${headers.authorization}`;
  if (typeof key === 'string' && key !== '') return `key ${key}`;
  const cookie = COOKIE.exec(headers.cookie ?? '')?.[1];
  return cookie === undefined ? `address ${socket.remoteAddress ?? ''}` : `cookie ${cookie}`;
}

/** Values derived from a request. Its principal changes once a signature was verified. */
const callers = new WeakMap<Request, { principal: Principal; caller: string }>();

/**
 * The id of a request's caller, without any secret (contract section 8). Names the tenant, see
 * `tenantOf`.
 */
export function callerOf(request: Request): string {
  const principal = principalOf(request);
  const known = callers.get(request);
  if (known?.principal === principal) return known.caller;
  const digest = hash('sha256', identityOf(request), 'hex').slice(0, 32);
  const caller = inTenant(principal.tenant, digest);
  callers.set(request, { principal, caller });
  return caller;
}

/** Parameter of a controller method: the id of its caller. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext) =>
  callerOf(context.switchToHttp().getRequest<Request>()),
);
