import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { ConsiliumError } from '../../domain/errors.js';
import { callerOf } from '../caller.js';
import { AuditRequests } from '../audit/audit-requests.js';
import { LIMITED, type Limit } from '../limits/limited.js';
import { RateLimits } from '../limits/rate-limits.js';
import { StreamLeases } from '../limits/stream-leases.js';
import { LOCAL, principalOf } from './principal.js';
import { REQUIRED } from './requires.js';
import { leastRoleFor, mayDo, type AccessAction } from '../../domain/roles.js';

/** Lets a principal do what its role and its limits allow. Contract section 10. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly rates: RateLimits,
    private readonly streams: StreamLeases,
    private readonly audits: AuditRequests,
  ) {}

  /** @throws ConsiliumError FORBIDDEN, RATE_LIMITED; Error of a route that declares no action */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const declared = this.reflector.getAllAndOverride<AccessAction | 'public' | undefined>(
      REQUIRED,
      [context.getHandler(), context.getClass()],
    );
    const route = `${context.getClass().name}.${context.getHandler().name}`;
    if (declared === undefined) throw new Error(`${route} does not declare what it does`);
    if (declared === 'public') return true;
    const principal = principalOf(context.switchToHttp().getRequest<Request>());
    const { role } = principal;
    const http = context.switchToHttp();
    if (principal !== LOCAL) this.audits.watch(http.getRequest(), http.getResponse(), declared);
    if (!mayDo(role, declared))
      throw new ConsiliumError(
        'FORBIDDEN',
        `This needs the role ${leastRoleFor(declared)}; the credential has ${role}`,
      );
    if (principal !== LOCAL) await this.count(context);
    return true;
  }

  private async count(context: ExecutionContext): Promise<void> {
    const limits = this.reflector.get<Limit[] | undefined>(LIMITED, context.getHandler()) ?? [];
    const http = context.switchToHttp();
    const caller = callerOf(http.getRequest<Request>());
    await Promise.all(
      limits.map((limit) =>
        limit === 'streams'
          ? this.streams.take(caller, http.getResponse<Response>())
          : this.rates.take(limit, caller),
      ),
    );
  }
}
