import { METHODS } from 'node:http';
import type { Express, Request } from 'express';
import { ConsiliumError } from '../domain/errors.js';

/**
 * A layer of the router of Express 5, reduced to the fields that are used here; its types are
 * outdated.
 */
interface Layer {
  route?: { path: unknown; methods: Record<string, boolean> };
  match(path: string): boolean;
}

/** Whether a route has a path without parameters. */
const isExact = ({ route }: Layer): boolean =>
  typeof route?.path === 'string' && !/[:*{(]/.test(route.path);

/**
 * The methods of a path; none if the path does not exist. A route without parameters takes
 * precedence: `/executions/trigger` is not a run.
 */
function methodsOf({ router }: Express, path: string): string[] {
  const layers = router.stack as unknown as Layer[];
  // Nest adds a route for all methods that handles unknown paths.
  const fitting = layers.filter(
    (layer) =>
      layer.route && layer.match(path) && Object.keys(layer.route.methods).length < METHODS.length,
  );
  const exact = fitting.filter(isExact);
  const methods = (exact.length > 0 ? exact : fitting).flatMap(({ route }) =>
    Object.keys(route?.methods ?? {}),
  );
  const upper = methods.map((method) => method.toUpperCase());
  // Express handles HEAD by GET.
  return [...new Set(upper.includes('GET') ? [...upper, 'HEAD'] : upper)].sort();
}

/**
 * The error for a path that is also a route, with other methods, and was interpreted as an id;
 * otherwise undefined.
 */
export function wrongMethod(request: Request): ConsiliumError | undefined {
  const { app, method, path } = request;
  const allow = methodsOf(app as Express, path);
  return allow.length === 0 || allow.includes(method) ? undefined : unknownPath(request);
}

/**
 * The error for an unknown path or method: 405 METHOD_NOT_ALLOWED if the path has other methods
 * (RFC 9110, 15.5.6), otherwise 404 NOT_FOUND.
 * @param hint appended to the message
 */
export function unknownPath(request: Request, hint = ''): ConsiliumError {
  const path = withoutQuery(request);
  const allow = methodsOf(request.app as Express, path);
  return allow.length === 0
    ? new ConsiliumError('NOT_FOUND', `There is no ${request.method} ${path}${hint}`)
    : methodNotAllowed(request, allow);
}

/** The error for a path that takes only other methods than that of the request. */
export function methodNotAllowed(request: Request, allow: readonly string[]): ConsiliumError {
  const message = `${withoutQuery(request)} takes ${allow.join(', ')}, not ${request.method}`;
  return new ConsiliumError('METHOD_NOT_ALLOWED', message, {
    headers: { Allow: allow.join(', ') },
  });
}

const withoutQuery = ({ originalUrl }: Request): string => originalUrl.replace(/\?.*$/s, '');
