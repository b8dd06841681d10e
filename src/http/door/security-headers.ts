import type { NextFunction, Request, Response } from 'express';

/** Pages with scripts of their own: these set their own policy. */
const PAGES = /^\/(?:docs|console)(?:\/|$)/i;

/**
 * Headers that keep an answer from being taken for something else, stored, or framed. Whatever answers may replace them.
 * See OWASP, "HTTP Headers Cheat Sheet", REST APIs.
 */
export function securityHeaders({ path }: Request, response: Response, next: NextFunction): void {
  response.set({
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
  });
  if (!PAGES.test(path))
    response.set('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'");
  next();
}
