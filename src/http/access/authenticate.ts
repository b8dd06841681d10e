import type { NextFunction, Request, Response } from 'express';
import { ConsiliumError } from '../../domain/errors.js';
import type { AuditRequests } from '../audit/audit-requests.js';
import { callerOf } from '../caller.js';
import type { RateLimits } from '../limits/rate-limits.js';
import type { Authenticator } from './authenticator.js';
import type { OpenStreams } from './open-streams.js';
import { isSignedPath } from '../request-checks/raw-bodies.js';
import { LOCAL, SIGNER, setPrincipal } from './principal.js';

/** Load balancers and probes of the platform have no credential. */
const PUBLIC = /^\/health(?:\/|$)/i;

const maySign = ({ method, path }: Request): boolean => method === 'POST' && isSignedPath(path);

const isRefused = (error: unknown): error is ConsiliumError =>
  error instanceof ConsiliumError && error.code === 'UNAUTHENTICATED';

/**
 * Middleware: finds the principal of every request, counts the request, and repeats the check while
 * its response is a stream.
 */
export const authenticate =
  (authenticator: Authenticator, streams: OpenStreams, limits: RateLimits, audits: AuditRequests) =>
  async (request: Request, response: Response, next: NextFunction): Promise<void> => {
    try {
      if (PUBLIC.test(request.path)) setPrincipal(request, { ...LOCAL, role: 'viewer' });
      else if (maySign(request) && authenticator.hasNoCredential(request))
        setPrincipal(request, SIGNER);
      else {
        const principal = await authenticator.principalOf(request);
        setPrincipal(request, principal);
        if (principal !== LOCAL) {
          await limits.take('requests', callerOf(request));
          streams.watch(request, response);
        }
      }
      next();
    } catch (error) {
      if (isRefused(error) && !authenticator.hasNoCredential(request))
        audits.failedLogin(request, response, error.options.cause);
      next(error);
    }
  };
