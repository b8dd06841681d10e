import { createHash } from 'node:crypto';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';

const COOKIE = /(?:^|;\s*)consilium_caller=([A-Za-z0-9_-]{16,128})(?:;|$)/;

/** What tells callers apart, the first that is there: a credential, the cookie `consilium_caller`, the address. */
function identityOf({ headers, socket }: Request): string {
  const key = headers['x-api-key'];
  if (headers.authorization) return `authorization ${headers.authorization}`;
  if (typeof key === 'string' && key !== '') return `key ${key}`;
  const cookie = COOKIE.exec(headers.cookie ?? '')?.[1];
  return cookie === undefined ? `address ${socket.remoteAddress ?? ''}` : `cookie ${cookie}`;
}

/**
 * The caller of a request, as an id without any secret of the client in it. Credentials are not checked here: they only tell
 * callers apart. Contract section 8.
 */
export const callerOf = (request: Request): string =>
  createHash('sha256').update(identityOf(request)).digest('hex').slice(0, 32);

/** Parameter of a controller's method: the id of its caller. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext) =>
  callerOf(context.switchToHttp().getRequest<Request>()),
);
