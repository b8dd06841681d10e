import { METHODS } from 'node:http';
import type { Express, Request } from 'express';
import { ConsiliumError } from '../domain/errors.js';

/** A layer of the router of Express 5, reduced to what is used here; its types are outdated. */
interface Layer {
  route?: { methods: Record<string, boolean> };
  match(path: string): boolean;
}

/** The methods of a path; none if the path does not exist. */
function methodsOf({ router }: Express, path: string): string[] {
  const layers = router.stack as unknown as Layer[];
  const methods = layers.flatMap((layer) => {
    const taken = layer.route && layer.match(path) ? Object.keys(layer.route.methods) : [];
    // Nest adds a route for all methods that handles unknown paths.
    return taken.length < METHODS.length ? taken : [];
  });
  const upper = methods.map((method) => method.toUpperCase());
  // Express handles HEAD by GET.
  return [...new Set(upper.includes('GET') ? [...upper, 'HEAD'] : upper)].sort();
}

/**
 * The error for an unknown path or method: 405 METHOD_NOT_ALLOWED if the path has other methods
 * (RFC 9110, 15.5.6), otherwise 404 NOT_FOUND.
 * @param hint appended to the message
 */
export function unknownPath({ app, method, originalUrl }: Request, hint = ''): ConsiliumError {
  const path = originalUrl.replace(/\?.*$/s, '');
  const allow = methodsOf(app as Express, path);
  return allow.length === 0
    ? new ConsiliumError('NOT_FOUND', `There is no ${method} ${path}${hint}`)
    : new ConsiliumError('METHOD_NOT_ALLOWED', `${path} takes ${allow.join(', ')}, not ${method}`, {
        headers: { Allow: allow.join(', ') },
      });
}
