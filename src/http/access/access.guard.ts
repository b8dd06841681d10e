import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { AccessAction } from '../../domain/roles.js';
import { LIMITED, type Limit } from '../limits/limited.js';
import { RequestAdmission } from './admission.js';
import { REQUIRED } from './requires.js';

/** Allows a request if the role and the limits of its principal do. Contract section 10. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly admission: RequestAdmission,
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
    const limits = this.reflector.get<Limit[] | undefined>(LIMITED, context.getHandler()) ?? [];
    await this.admission.admit(context, declared, limits);
    return true;
  }
}
