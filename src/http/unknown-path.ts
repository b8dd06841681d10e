import { METHODS } from 'node:http';
import type { Express, Request } from 'express';
import { ConsiliumError } from '../domain/errors.js';

/** A layer of the router of express 5, as far as it is needed here; its types lag behind. */
interface Layer {
  route?: { methods: Record<string, boolean> };
  match(path: string): boolean;
}

/** The methods that a path takes; none: there is no such path. */
function methodsOf({ router }: Express, path: string): string[] {
  const layers = router.stack as unknown as Layer[];
  const methods = layers.flatMap((layer) => {
    const taken = layer.route && layer.match(path) ? Object.keys(layer.route.methods) : [];
    // Nest adds a route of every method, which answers what no other route does.
    return taken.length < METHODS.length ? taken : [];
  });
  const upper = methods.map((method) => method.toUpperCase());
  // Express answers HEAD by GET.
  return [...new Set(upper.includes('GET') ? [...upper, 'HEAD'] : upper)].sort();
}

/**
 * The error of a request that no method answers: 405 METHOD_NOT_ALLOWED where others do (RFC 9110, 15.5.6), else 404 NOT_FOUND.
 * @param hint where to look, at the end of the message
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
