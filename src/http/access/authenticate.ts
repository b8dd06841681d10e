import type { NextFunction, Request, Response } from 'express';
import type { Authenticator } from './authenticator.js';
import type { OpenStreams } from './open-streams.js';
import { LOCAL, setPrincipal } from './principal.js';

/** Load balancers and probes of the platform have no credential. */
const PUBLIC = /^\/health(?:\/|$)/i;

/** Middleware: finds the principal of every request, and goes on looking while its answer is a stream. */
export const authenticate =
  (authenticator: Authenticator, streams: OpenStreams) =>
  async (request: Request, response: Response, next: NextFunction): Promise<void> => {
    try {
      if (PUBLIC.test(request.path)) setPrincipal(request, { ...LOCAL, role: 'viewer' });
      else {
        const principal = await authenticator.principalOf(request);
        setPrincipal(request, principal);
        if (principal !== LOCAL) streams.watch(request, response);
      }
      next();
    } catch (error) {
      next(error);
    }
  };
