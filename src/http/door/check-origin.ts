import type { IncomingHttpHeaders } from 'node:http';
import type { NextFunction, Request, Response } from 'express';
import { ConsiliumError } from '../../domain/errors.js';

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Whether an origin is the host that was asked, of either scheme: TLS may end at a proxy. */
function isSameOrigin(origin: string, host: string | undefined): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, host: from } = new URL(origin);
  if (protocol !== 'http:' && protocol !== 'https:') return false;
  const to = `${protocol}//${host ?? ''}`;
  return URL.canParse(to) && new URL(to).host === from;
}

/**
 * Whether a page of another site sends a request that may change something. Browsers say where it comes from and no page can
 * change that (`Origin`, `Sec-Fetch-Site`); other programs send neither.
 * @param origins those that are allowed, exactly
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

/** Refuses what {@link isForeign}: 403 FORBIDDEN_ORIGIN. Contract section 10. */
export const checkOrigin =
  (origins: readonly string[]) =>
  ({ method, headers }: Request, _response: Response, next: NextFunction): void =>
    next(
      isForeign(method, headers, origins)
        ? new ConsiliumError(
            'FORBIDDEN_ORIGIN',
            'A page of another origin may not do this; ALLOWED_ORIGINS names those that may',
          )
        : undefined,
    );
