import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { AccessAction } from '../../domain/roles.js';
import { DEFAULT_TENANT } from '../../domain/tenant.js';
import { principalOf } from '../access/principal.js';
import { redactSecrets } from '../../lib/redact-secrets.js';
import { requestIdOf } from '../../lib/request-id.js';
import { AuditLog } from './audit-log.js';

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Whether a request changes something, or reads the audit log itself. */
const isAudited = (method: string, action: AccessAction): boolean =>
  action === 'audit:read' || (!SAFE.has(method) && !action.endsWith(':read'));

/**
 * The status of a request whose client disconnected before its response began, as nginx records it.
 */
const HUNG_UP = 499;

/**
 * Records the requests that change something, as soon as their response begins or their client
 * disconnects.
 */
@Injectable()
export class AuditRequests {
  constructor(private readonly log: AuditLog) {}

  /** Records a request when it is answered or its connection is lost, if its kind is audited. */
  watch(request: Request, response: Response, action: AccessAction): void {
    if (!isAudited(request.method, action)) return;
    // After the client has hung up, the socket has no address.
    const address = addressOf(request);
    onAnswer(response, (status) => {
      const { tenant, name, keyId } = principalOf(request);
      const object = objectOf(response);
      const record = {
        at: new Date().toISOString(),
        tenant,
        principal: name,
        action,
        ...(keyId !== undefined && { keyId }),
        ...(object !== undefined && { object }),
        ...placeOf(request),
        status,
        address,
        ...idOf(response),
      };
      // After the bytes of the response, which does not wait for it.
      setImmediate(() => void this.log.record(record));
    });
  }

  /** Records an invalid credential, and the reason, if it is known. */
  failedLogin(request: Request, response: Response, reason?: unknown): void {
    void this.log.record({
      at: new Date().toISOString(),
      tenant: DEFAULT_TENANT,
      principal: null,
      action: 'login:failed',
      ...placeOf(request),
      status: 401,
      address: addressOf(request),
      ...idOf(response),
      ...(typeof reason === 'string' && { reason }),
    });
  }
}

const MOST_PATH = 300;
/** Maximum length: some 80 runs of one delivery of alerts. */
const MOST_OBJECT = 4_000;

const placeOf = ({ method, path }: Request) => ({
  method,
  path: redactSecrets(path).slice(0, MOST_PATH),
});
const addressOf = ({ socket }: Request): string => socket.remoteAddress ?? '';

function idOf(response: Response): { requestId?: string } {
  const requestId = requestIdOf(response);
  return requestId === undefined ? {} : { requestId };
}

/**
 * Names the objects of a request, or its decision, if its path does not contain them: from the
 * response, or from values that the route has read and validated. Never a part of a body that the
 * route does not read, because the caller could write anything into the log.
 */
export const setAuditObject = ({ locals }: Response, object: string): void =>
  void (locals['auditObject'] = object);

function objectOf({ locals }: Response): string | undefined {
  const { auditObject } = locals as { auditObject?: string };
  return auditObject?.slice(0, MOST_OBJECT);
}

/**
 * Calls once: when the head of a response is written, also that of a stream, which ends much later;
 * or if the client disconnects before.
 */
function onAnswer(response: Response, call: (status: number) => void): void {
  let isDone = false;
  const once = (status: number) => {
    if (isDone) return;
    isDone = true;
    call(status);
  };
  if (response.destroyed) return once(HUNG_UP);
  response.once('close', () => once(HUNG_UP));
  const writeHead = response.writeHead.bind(response) as (...args: unknown[]) => Response;
  response.writeHead = ((...args: unknown[]) => {
    once(typeof args[0] === 'number' ? args[0] : response.statusCode);
    return writeHead(...args);
  }) as Response['writeHead'];
}
