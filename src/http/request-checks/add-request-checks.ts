import type { CorsOptions } from '@nestjs/common/interfaces/external/cors-options.interface.js';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Request } from 'express';
import { listOf, type Config } from '../../config/config.js';
import { checkAuthorization } from './check-authorization.js';
import { checkContentType } from './check-content-type.js';
import { checkHost } from './check-host.js';
import { checkOrigin } from './check-origin.js';
import { checkHeaderCount, limitServer } from './limit-server.js';
import { readBody } from './read-body.js';
import { securityHeaders } from './security-headers.js';

/** Response headers that pages of allowed origins may read. */
const EXPOSED = [
  'X-Run-Id',
  'X-Request-Id',
  'Location',
  'Retry-After',
  'ETag',
  'RateLimit',
  'RateLimit-Policy',
];
const PREFLIGHT_SECONDS = 600;

/** Checks every request before its credential: connection limits, host and origin. */
export function addRequestChecks(
  app: NestExpressApplication,
  { host, maxFollowers, ...config }: Config,
): void {
  const origins = listOf(config.allowedOrigins);
  limitServer(app.getHttpServer(), maxFollowers);
  app.use(securityHeaders);
  app.use(checkHeaderCount);
  app.use(checkAuthorization);
  app.use(checkHost(host, listOf(config.allowedHosts)));
  if (origins.length > 0)
    app.enableCors(({ headers }: Request, done: (error: null, options: CorsOptions) => void) =>
      done(null, {
        origin: origins,
        maxAge: PREFLIGHT_SECONDS,
        // Pages of other origins may read nothing.
        ...(origins.includes(headers.origin ?? '') && {
          credentials: true,
          exposedHeaders: EXPOSED,
        }),
      }),
    );
  app.use(checkOrigin(origins));
}

/**
 * Checks type, size and shape of bodies. Only bodies of callers with a valid credential are read,
 * and alerts that may be signed.
 */
export function addBodyChecks(app: NestExpressApplication): void {
  app.use(checkContentType);
  app.use(readBody);
}
