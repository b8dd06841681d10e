import type { NextFunction, Request, Response } from 'express';
import { ConsiliumError } from '../../domain/errors.js';

const JSON_TYPES = ['application/json', 'application/*+json'];
export const YAML_TYPES = ['application/yaml', 'application/x-yaml', 'text/yaml', 'text/x-yaml'];
const TOPOLOGIES = /^\/api\/service\/v1\/topologies(?:\/|$)/i;

/** Refuses a body that is not JSON (or YAML, for a topology) before it is read. */
export function checkContentType(request: Request, _response: Response, next: NextFunction): void {
  const hasBody =
    request.headers['transfer-encoding'] !== undefined ||
    Number(request.headers['content-length'] ?? 0) > 0;
  const takesYaml = TOPOLOGIES.test(request.path);
  const types = takesYaml ? [...JSON_TYPES, ...YAML_TYPES] : JSON_TYPES;
  if (!hasBody || request.is(types)) return next();
  const sent = request.headers['content-type'] ?? 'none';
  next(
    new ConsiliumError(
      'UNSUPPORTED_MEDIA_TYPE',
      `The body must be ${takesYaml ? 'application/json or application/yaml' : 'application/json'}, not ${sent.slice(0, 100)}; with curl: -H 'Content-Type: application/${takesYaml ? 'yaml' : 'json'}'`,
    ),
  );
}
