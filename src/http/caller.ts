import { createHash } from 'node:crypto';
import type { Request } from 'express';

const COOKIE = /(?:^|;\s*)consilium_caller=([A-Za-z0-9_-]{16,128})(?:;|$)/;

/** Who asks: whoever shows a cookie `consilium_caller`, else whoever has this address. No secret of the client's is kept. */
export function callerOf(request: Request): string {
  const cookie = COOKIE.exec(request.headers.cookie ?? '')?.[1];
  const known =
    cookie === undefined ? `address ${request.socket.remoteAddress ?? ''}` : `cookie ${cookie}`;
  return createHash('sha256').update(known).digest('hex').slice(0, 32);
}
