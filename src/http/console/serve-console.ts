import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { answerError } from '../error-filter.js';
import { methodNotAllowed } from '../unknown-path.js';
import { pageAt, type ConsoleFile, type ConsoleFiles } from './console-files.js';

const ROOT = '/console';
const ASSETS = `${ROOT}/assets/`;
/** Maximum depth of a page below the console, as in `runs/ID`. */
const DEEPEST = 4;

const SECURITY: Record<string, string> = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; " +
    "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
};

/**
 * Serves the web console at `/console` and redirects `/` to it. Links are relative to the page's
 * address, so that a proxy may add any path before it. The names of assets change with their
 * content, so they never expire.
 */
export function serveConsole({ page, assets }: ConsoleFiles): RequestHandler {
  const pages = new Map(
    ['console/', './', ...Array.from({ length: DEEPEST }, (_, i) => '../'.repeat(i + 1))].map(
      (up) => [up, pageAt(page, up)],
    ),
  );
  return (request: Request, response: Response, next: NextFunction): void => {
    const { path, method } = request;
    const isAsset = path.startsWith(ASSETS);
    const file = isAsset ? assets.get(path.slice(ASSETS.length)) : pages.get(wayUp(path));
    if (!file && path !== '/') return next();
    if (method !== 'GET' && method !== 'HEAD')
      return answerError(methodNotAllowed(request, ['GET', 'HEAD']), request, response);
    if (!file) return response.redirect(302, 'console');
    send(file, isAsset ? 'public, max-age=31536000, immutable' : 'no-cache', request, response);
  };
}

/**
 * The relative path from a page to the folder of the console; empty if the address is not a page.
 */
function wayUp(path: string): string {
  if (path === ROOT) return 'console/';
  if (!path.startsWith(`${ROOT}/`)) return '';
  return '../'.repeat(path.slice(ROOT.length + 1).split('/').length - 1) || './';
}

function send(file: ConsoleFile, cache: string, request: Request, response: Response): void {
  response.set({
    ...SECURITY,
    'Content-Type': file.type,
    'Cache-Control': cache,
    Vary: 'Accept-Encoding',
  });
  const gzip = file.gzip !== undefined && request.acceptsEncodings('gzip') === 'gzip';
  if (gzip) response.set('Content-Encoding', 'gzip');
  response.send(gzip ? file.gzip : file.body);
}
