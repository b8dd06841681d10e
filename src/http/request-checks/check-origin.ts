import type { IncomingHttpHeaders } from 'node:http';
import type { NextFunction, Request, Response } from 'express';
import { ConsiliumError } from '../../domain/errors.js';

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Whether an origin is the requested host, with either scheme, because TLS may end at a proxy. */
function isSameOrigin(origin: string, host: string | undefined): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, host: from } = new URL(origin);
  if (protocol !== 'http:' && protocol !== 'https:') return false;
  const to = `${protocol}//${host ?? ''}`;
  return URL.canParse(to) && new URL(to).host === from;
}

/**
 * Whether a page of another site sent a request that may change something. Browsers report the
 * origin in headers that pages cannot change (`Origin`, `Sec-Fetch-Site`); other programs send
 * neither.
 * @param origins allowed origins, compared exactly
 * @internal Exported for tests.
 */
export function isForeign(
  method: string,
  headers: IncomingHttpHeaders,
  origins: readonly string[],
): boolean {
  if (SAFE.has(method)) return false;
  const { origin, host } = headers;
  const site = headers['sec-fetch-site'];
  if (origin === undefined) return site !== undefined && site !== 'none' && site !== 'same-origin';
  return !origins.includes(origin) && !isSameOrigin(origin, host);
}

/** Refuses requests that {@link isForeign} with 403 FORBIDDEN_ORIGIN (contract section 10). */
export const checkOrigin =
  (origins: readonly string[]) =>
  ({ method, headers }: Request, _response: Response, next: NextFunction): void =>
    next(
      isForeign(method, headers, origins)
        ? new ConsiliumError(
            'FORBIDDEN_ORIGIN',
            'Pages of this origin may not do this; add the origin to ALLOWED_ORIGINS',
          )
        : undefined,
    );
