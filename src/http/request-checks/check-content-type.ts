import type { NextFunction, Request, Response } from 'express';
import { ConsiliumError } from '../../domain/errors.js';

const JSON_TYPES = ['application/json', 'application/*+json'];
export const YAML_TYPES = ['application/yaml', 'application/x-yaml', 'text/yaml', 'text/x-yaml'];
/** What curl needs for YAML: `-d` removes the line breaks of a file. */
export const SEND_YAML = "--data-binary and -H 'Content-Type: application/yaml'";
const TOPOLOGIES = /^\/api\/service\/v1\/topologies(?:\/|$)/i;

/** Whether a path takes YAML, too. */
export const takesYaml = ({ path }: Request): boolean => TOPOLOGIES.test(path);

/** Refuses a body that is not JSON (or YAML, for a topology) before it is read. */
export function checkContentType(request: Request, _response: Response, next: NextFunction): void {
  const hasBody =
    request.headers['transfer-encoding'] !== undefined ||
    Number(request.headers['content-length'] ?? 0) > 0;
  const alsoYaml = takesYaml(request);
  if (!hasBody || request.is(alsoYaml ? [...JSON_TYPES, ...YAML_TYPES] : JSON_TYPES)) return next();
  const sent = (request.headers['content-type'] ?? 'none').slice(0, 100);
  next(
    new ConsiliumError(
      'UNSUPPORTED_MEDIA_TYPE',
      alsoYaml
        ? `The body must be application/json or application/yaml, not ${sent}; with curl: ${SEND_YAML}`
        : `The body must be application/json, not ${sent}; with curl: -H 'Content-Type: application/json'`,
    ),
  );
}
