import { Injectable, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ConsiliumError } from '../../domain/errors.js';
import { leastRoleFor, mayDo, type AccessAction } from '../../domain/roles.js';
import { AuditRequests } from '../audit/audit-requests.js';
import { callerOf } from '../caller.js';
import { networkOf } from '../limits/failed-logins.js';
import { RateLimits, type Rate } from '../limits/rate-limits.js';
import { StreamLeases } from '../limits/stream-leases.js';
import { LOCAL, principalOf } from './principal.js';

/**
 * Admits a request if the role and the limits of its principal allow its action, and audits it.
 * Contract section 10.
 */
@Injectable()
export class RequestAdmission {
  constructor(
    private readonly rates: RateLimits,
    private readonly streams: StreamLeases,
    private readonly audits: AuditRequests,
  ) {}

  /**
   * Without authentication, nothing is counted or recorded.
   * @throws ConsiliumError FORBIDDEN, RATE_LIMITED
   */
  async admit(
    context: ExecutionContext,
    action: AccessAction,
    limits: readonly (Rate | 'streams')[],
  ): Promise<void> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    const principal = principalOf(request);
    if (principal !== LOCAL) this.audits.watch(request, response, action);
    if (!mayDo(principal.role, action))
      throw new ConsiliumError(
        'FORBIDDEN',
        `This needs the role ${leastRoleFor(action)}; the credential has ${principal.role}`,
      );
    if (principal === LOCAL) return;
    await Promise.all(
      limits.map((limit) =>
        limit === 'streams' ? this.countStream(request, response) : this.count(request, limit),
      ),
    );
  }

  /**
   * Counts a response as an open stream of its caller until it closes; without authentication,
   * nothing.
   * @throws ConsiliumError RATE_LIMITED
   */
  async countStream(request: Request, response: Response): Promise<void> {
    if (principalOf(request) !== LOCAL) await this.streams.take(callerOf(request), response);
  }

  /**
   * Counts one use for the caller of a request; without authentication, nothing.
   * @throws ConsiliumError RATE_LIMITED
   */
  async count(request: Request, rate: Rate): Promise<void> {
    if (principalOf(request) !== LOCAL) await this.rates.take(rate, callerOf(request));
  }

  /**
   * Audits an invalid signature: per address and minute, as many as the address may try
   * credentials. The address is not refused, since an honest sender may share it.
   */
  async badSignature(context: ExecutionContext): Promise<void> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    if (principalOf(request) === LOCAL) return;
    const isCounted = await this.rates
      .take('signatures', networkOf(request.socket.remoteAddress))
      .then(
        () => true,
        () => false,
      );
    if (isCounted) this.audits.failedLogin(request, http.getResponse<Response>());
  }
}
