import type { IncomingMessage } from 'node:http';
import { json, text, type NextFunction, type Request, type Response } from 'express';
import { ConsiliumError } from '../../domain/errors.js';
import { SEND_YAML, takesYaml, YAML_TYPES } from './check-content-type.js';
import { exceededBound } from '../../lib/json-bounds.js';
import { jsonFault, showJsonFault } from '../../lib/json-fault.js';
import { isSignedPath, keepRawBody } from './raw-bodies.js';

const DEPTH = 32;
const KEYS = 1_000;
const KB = 1_024;

/**
 * Paths of large bodies: topologies, storms of alerts, and chats whose clients send the whole
 * conversation with each question.
 */
const LARGE =
  /^\/(?:api\/service\/v1\/(?:topologies|alerts|ag-ui)|api\/chat|api\/v1\/conversations)(?:\/|$)/i;

/** Maximum bytes of an uncompressed body of a path. */
const mostBytes = (path: string): number => (LARGE.test(path) ? KB * KB : 64 * KB);

const notValid = (message: string) =>
  new ConsiliumError('VALIDATION_FAILED', 'The request is not valid', {
    faults: [{ path: 'body', message }],
  });

const EXCEEDED = {
  depth: `must not be nested deeper than ${DEPTH} levels`,
  keys: `must not have more than ${KEYS.toLocaleString('en')} keys in one object`,
};

/** Refuses a text before it is parsed. @throws ConsiliumError */
function verify(
  request: IncomingMessage,
  _response: unknown,
  bytes: Buffer,
  encoding: string,
): void {
  if (encoding !== 'utf-8') throw unsupported();
  const exceeded = exceededBound(bytes, { depth: DEPTH, keys: KEYS });
  if (exceeded) throw notValid(EXCEEDED[exceeded]);
  // Express calls this with its own request.
  if (isSignedPath((request as Request).path)) keepRawBody(request, bytes);
}

const unsupported = () =>
  new ConsiliumError(
    'UNSUPPORTED_MEDIA_TYPE',
    'The body must be application/json in UTF-8, plain or compressed with gzip',
  );

const parsers = new Map(
  [64 * KB, KB * KB].map((limit) => [
    limit,
    json({ limit, type: ['application/json', 'application/*+json'], verify }),
  ]),
);
const readText = text({ limit: KB * KB, type: YAML_TYPES });

/** Reads a body within the limits of its path: JSON as a value, YAML as a text. */
export function readBody(request: Request, response: Response, next: NextFunction): void {
  const limit = mostBytes(request.path);
  const read = request.is(YAML_TYPES) ? readText : parsers.get(limit);
  read?.(request, response, (error?: unknown) =>
    next(error === undefined ? undefined : toConsiliumError(error, limit, request)),
  );
}

/** The first line of a YAML document that is not JSON: a marker, an item or a key. */
const YAML_LINE = /^(?:---|-\s|["']?\w[\w .-]{0,100}["']?:(?:\s|$))/;

/** Decides by the first 1,000 characters. */
function looksLikeYaml(text: string): boolean {
  const lines = text.slice(0, 1_000).split('\n');
  const first = lines.find((line) => line.trim() !== '' && !line.startsWith('#'));
  return first !== undefined && YAML_LINE.test(first.trimEnd());
}

/** The fault of a text that is not JSON. */
function notJson(text: unknown, request: Request): string {
  const isText = typeof text === 'string';
  if (isText && takesYaml(request) && looksLikeYaml(text))
    return `is YAML, but was sent as JSON; send it as application/yaml (with curl: ${SEND_YAML})`;
  const fault = isText ? jsonFault(text) : undefined;
  return `must be a valid JSON object${fault ? `: ${showJsonFault(fault)}` : ''}`;
}

/** Converts an error of Express's parser. */
function toConsiliumError(error: unknown, limit: number, request: Request): unknown {
  // The parser has set its own status on the error of `verify`.
  if (error instanceof ConsiliumError)
    return new ConsiliumError(error.code, error.message, error.options);
  const { status, body } = error as { status?: unknown; body?: unknown };
  switch (status) {
    case 413:
      return new ConsiliumError('PAYLOAD_TOO_LARGE', `The body is larger than ${limit / KB} kB`);
    case 415:
      return unsupported();
    case 400:
      return notValid(notJson(body, request));
    default:
      return error;
  }
}
