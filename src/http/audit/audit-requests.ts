import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { AccessAction } from '../../domain/roles.js';
import { DEFAULT_TENANT } from '../../domain/tenant.js';
import { principalOf } from '../access/principal.js';
import { AuditLog } from './audit-log.js';

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Whether a request changes something, or reads the audit log itself. */
const isAudited = (method: string, action: AccessAction): boolean =>
  action === 'audit:read' || (!SAFE.has(method) && !action.endsWith(':read'));

/** Records the requests that change something, as soon as their response begins. */
@Injectable()
export class AuditRequests {
  constructor(private readonly log: AuditLog) {}

  /** Records a request when it is answered, if it is of a kind that is audited. */
  watch(request: Request, response: Response, action: AccessAction): void {
    if (!isAudited(request.method, action)) return;
    onAnswer(response, () => {
      const { tenant, name, keyId } = principalOf(request);
      const object = objectOf(request, response);
      void this.log.record({
        at: new Date().toISOString(),
        ...{ tenant, principal: name, action },
        ...(keyId !== undefined && { keyId }),
        ...(object !== undefined && { object }),
        ...placeOf(request, response.statusCode),
      });
    });
  }

  /** Records a credential that was not valid. */
  failedLogin(request: Request): void {
    void this.log.record({
      at: new Date().toISOString(),
      ...{ tenant: DEFAULT_TENANT, principal: null, action: 'login:failed' },
      ...placeOf(request, 401),
    });
  }
}

const MOST_PATH = 300;

const placeOf = ({ method, path, socket }: Request, status: number) => ({
  ...{ method, path: path.slice(0, MOST_PATH), status },
  address: socket.remoteAddress ?? '',
});

/** The run that was started or that the body names, or where the new thing is. */
function objectOf({ body }: Request, response: Response): string | undefined {
  const started = response.getHeader('X-Run-Id') ?? response.getHeader('Location');
  const named = (body as { runId?: unknown } | undefined)?.runId;
  const object = typeof started === 'string' ? started : named;
  return typeof object === 'string' ? object.slice(0, MOST_PATH) : undefined;
}

/** Calls once, when the head of a response is written: that of a stream, too, which ends much later. */
function onAnswer(response: Response, call: () => void): void {
  const writeHead = response.writeHead.bind(response) as (...args: unknown[]) => Response;
  let answered = false;
  response.writeHead = ((...args: unknown[]) => {
    if (!answered) {
      answered = true;
      if (typeof args[0] === 'number') response.statusCode = args[0];
      call();
    }
    return writeHead(...args);
  }) as Response['writeHead'];
}
