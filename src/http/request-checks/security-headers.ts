import type { NextFunction, Request, Response } from 'express';

/** Pages with their own scripts and policy. */
const PAGES = /^\/(?:docs|console)(?:\/|$)/i;

/**
 * Headers that prevent a response from being sniffed, stored or framed. Handlers may override them.
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
