import type { Request } from 'express';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { z } from 'zod';
import { DEFAULT_TENANT } from '../../domain/tenant.js';
import { ROLES } from '../../domain/roles.js';

export const principalSchema = z.object({
  tenant: z.string(),
  /** Unique within the tenant. */
  name: z.string(),
  role: z.enum(ROLES),
  /** Of the API key that it came with. */
  keyId: z.string().optional(),
  /** Until when the credential is good, in ms of the epoch; undefined: no end is known. */
  expiresAt: z.number().optional(),
  /** Name in the store of the session that it came with. */
  session: z.string().optional(),
});

/** Who a request acts for, taken from its credential and from nothing else. Contract section 10. */
export type Principal = z.infer<typeof principalSchema>;

/** Every caller without authentication. */
export const LOCAL: Principal = { tenant: DEFAULT_TENANT, name: 'local', role: 'admin' };

/** Names a principal in what it started; undefined without authentication. */
export const startedBy = (principal: Principal): string | undefined =>
  principal === LOCAL ? undefined : JSON.stringify([principal.tenant, principal.name]);

/**
 * The sender of a request that may be signed instead of having a credential. The guard of its route
 * verifies the signature.
 */
export const SIGNER: Principal = { tenant: 'default', name: 'signer', role: 'viewer' };

const principals = new WeakMap<Request, Principal>();

/**
 * The principal that was found for a request.
 * @throws Error if the request was not authenticated
 */
export function principalOf(request: Request): Principal {
  const principal = principals.get(request);
  if (!principal) throw new Error('a request that was not authenticated');
  return principal;
}

export const setPrincipal = (request: Request, principal: Principal): void =>
  void principals.set(request, principal);

/** Parameter of a controller's method: its principal. */
export const CurrentPrincipal = createParamDecorator((_: unknown, context: ExecutionContext) =>
  principalOf(context.switchToHttp().getRequest<Request>()),
);
