import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { ConsiliumError } from '../../domain/errors.js';
import { principalOf } from './principal.js';
import { REQUIRED } from './requires.js';
import { leastRoleFor, mayDo, type AccessAction } from '../../domain/roles.js';

/** Lets a principal do what its role allows. Contract section 10. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  /** @throws ConsiliumError FORBIDDEN; Error of a route that declares no action */
  canActivate(context: ExecutionContext): boolean {
    const declared = this.reflector.getAllAndOverride<AccessAction | 'public' | undefined>(
      REQUIRED,
      [context.getHandler(), context.getClass()],
    );
    const route = `${context.getClass().name}.${context.getHandler().name}`;
    if (declared === undefined) throw new Error(`${route} does not declare what it does`);
    if (declared === 'public') return true;
    const { role } = principalOf(context.switchToHttp().getRequest<Request>());
    if (mayDo(role, declared)) return true;
    throw new ConsiliumError(
      'FORBIDDEN',
      `This needs the role ${leastRoleFor(declared)}; the credential has ${role}`,
    );
  }
}
