import {
  createParamDecorator,
  Inject,
  Injectable,
  SetMetadata,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { readSecret } from '../config/secrets.js';
import { ConsiliumError } from '../domain/errors.js';
import { inTenant } from '../domain/tenant.js';
import { RequestAdmission } from '../http/access/admission.js';
import { principalOf, setPrincipal, SIGNER } from '../http/access/principal.js';
import type { Rate } from '../http/limits/rate-limits.js';
import { rawBodyOf } from '../http/request-checks/raw-bodies.js';
import { Clock } from '../lib/clock.js';
import type { AlertSource } from './alert.js';
import { ALERTS_FILE } from './alerts-file-token.js';
import type { AlertsFile } from './alerts-file.js';
import { verifySignature } from './signatures.js';

const SOURCE = Symbol('the sender of the alerts that a route receives');
const deliveries = new WeakMap<Request, string>();

/** Declares the sender of the alerts that a route receives. */
export const From = (source: AlertSource) => SetMetadata(SOURCE, source);

/**
 * Parameter of a controller method: the id of a signed delivery; undefined if honest deliveries may
 * be equal.
 */
export const DeliveryId = createParamDecorator((_: unknown, context: ExecutionContext) =>
  deliveries.get(context.switchToHttp().getRequest<Request>()),
);

/**
 * Authenticates senders of alerts: by a credential of the role `trigger`, by a valid signature, or
 * by both. If ALERTS_FILE has secrets for a source, each of its requests must be signed.
 */
@Injectable()
export class AlertsGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    @Inject(ALERTS_FILE) private readonly file: AlertsFile,
    @Inject(CONFIG) private readonly config: Config,
    private readonly clock: Clock,
    private readonly admission: RequestAdmission,
  ) {}

  /** @throws ConsiliumError UNAUTHENTICATED, FORBIDDEN, RATE_LIMITED */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const source = this.reflector.get<AlertSource>(SOURCE, context.getHandler());
    const isSigned = await this.verify(source, context);
    const principal = principalOf(request);
    if (principal === SIGNER) {
      if (!isSigned)
        throw unauthenticated('This needs a credential or a signature, for which no secret is set');
      setPrincipal(request, { ...SIGNER, name: source, role: 'trigger' });
    }
    // The request of a credential was counted when the credential was checked.
    const limits: Rate[] = principal === SIGNER ? ['requests', 'alerts'] : ['alerts'];
    await this.admission.admit(context, 'runs:start', limits);
    return true;
  }

  private async verify(source: AlertSource, context: ExecutionContext): Promise<boolean> {
    const references = source === 'alertmanager' ? undefined : this.file.secrets[source];
    if (references === undefined) return false;
    const request = context.switchToHttp().getRequest<Request>();
    const { secretOf } = this.config;
    const read = await Promise.allSettled(references.map((each) => readSecret(each, secretOf)));
    const secrets = read.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    const body = rawBodyOf(request);
    const now = this.clock.now();
    const verified = verifySignature(source, { headers: request.headers, body, secrets, now });
    if (verified.kind === 'bad') {
      await this.admission.badSignature(context);
      // It may be good by a secret that cannot be read: the sender repeats what failed here.
      const unread = read.find((each) => each.status === 'rejected');
      if (unread) throw unread.reason as Error;
      throw unauthenticated(`Not signed: ${verified.reason}`);
    }
    if (verified.delivery !== undefined)
      deliveries.set(request, inTenant(principalOf(request).tenant, verified.delivery));
    return true;
  }
}

const unauthenticated = (message: string) =>
  new ConsiliumError('UNAUTHENTICATED', message, { headers: { 'WWW-Authenticate': 'Bearer' } });
