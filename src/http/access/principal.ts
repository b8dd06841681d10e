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
  /** Until when the credential is valid, in ms since the epoch; undefined: unknown. */
  expiresAt: z.number().optional(),
  /** Name of the session in the store from which it came. */
  session: z.string().optional(),
});

/**
 * The principal for which a request acts, derived only from its credential. Contract section 10.
 */
export type Principal = z.infer<typeof principalSchema>;

/** Every caller without authentication. */
export const LOCAL: Principal = { tenant: DEFAULT_TENANT, name: 'local', role: 'admin' };

/** Names the principal in records of what it started; undefined without authentication. */
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
