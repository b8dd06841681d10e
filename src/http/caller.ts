import { createHash } from 'node:crypto';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';

const COOKIE = /(?:^|;\s*)consilium_caller=([A-Za-z0-9_-]{16,128})(?:;|$)/;

/**
 * The identity of a caller: its credential, otherwise the cookie `consilium_caller`, otherwise its
 * address.
 */
function identityOf({ headers, socket }: Request): string {
  const key = headers['x-api-key'];
  if (headers.authorization) return `authorization ${headers.authorization}`;
  if (typeof key === 'string' && key !== '') return `key ${key}`;
  const cookie = COOKIE.exec(headers.cookie ?? '')?.[1];
  return cookie === undefined ? `address ${socket.remoteAddress ?? ''}` : `cookie ${cookie}`;
}

/**
 * The id of a request's caller, without any secret. Credentials are not checked here; they only
 * distinguish callers (contract section 8).
 */
export const callerOf = (request: Request): string =>
  createHash('sha256').update(identityOf(request)).digest('hex').slice(0, 32);

/** Parameter of a controller method: the id of its caller. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext) =>
  callerOf(context.switchToHttp().getRequest<Request>()),
);
