import type { OpenAPIObject } from '@nestjs/swagger';
import type { ErrorCode } from '../domain/errors.js';
import { SESSION_COOKIE } from './access/sessions.js';
import { describeDefaults } from './openapi-defaults.js';
import { ANY_ERROR, describeErrors, describeHeader } from './openapi-errors.js';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
type Method = (typeof METHODS)[number];
type Operation = NonNullable<OpenAPIObject['paths'][string][Method]>;
type DescribedResponse = Operation['responses'][string];

/** Paths that need no credential and have no limits. */
const OPEN = /^\/health(?:\/|$)/;

/**
 * The codes of errors that follow from an operation's input, and from the checks before it is
 * called.
 */
function commonCodes(path: string, method: Method, { parameters = [] }: Operation): ErrorCode[] {
  if (OPEN.test(path)) return [];
  const codes: ErrorCode[] = ['UNAUTHENTICATED', 'FORBIDDEN', 'RATE_LIMITED', 'UNAVAILABLE'];
  if (parameters.some((each) => 'in' in each && ['path', 'query'].includes(each.in)))
    codes.push('VALIDATION_FAILED');
  if (method === 'get') return codes;
  return [
    ...codes,
    ...(['FORBIDDEN_ORIGIN', 'VALIDATION_FAILED'] as const),
    ...(['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const),
  ];
}

/** The codes that a response has in the envelope. */
function codesIn(response: DescribedResponse): ErrorCode[] {
  const schema =
    response && 'content' in response ? response.content?.['application/json']?.schema : undefined;
  const code = schema && 'properties' in schema ? schema.properties?.['code'] : undefined;
  return code && 'enum' in code ? (code.enum as ErrorCode[]) : [];
}

/** Clients of these paths read the text of an error here (contract section 10). */
function withDetail(path: string, error: DescribedResponse): DescribedResponse {
  const schema =
    error && 'content' in error ? error.content?.['application/json']?.schema : undefined;
  if (!path.startsWith('/chat/') || !schema || !('properties' in schema)) return error;
  const detailed = {
    ...schema,
    properties: { ...schema.properties, detail: { type: 'string' } },
    required: [...(schema.required ?? []), 'detail'],
  };
  return { ...error, content: { 'application/json': { schema: detailed } } } as DescribedResponse;
}

/** A list that clients poll has a tag for conditional requests. */
const withTag = (responses: Operation['responses']): Operation['responses'] =>
  responses['304']
    ? {
        ...responses,
        200: {
          ...responses['200'],
          headers: { ETag: describeHeader('For `If-None-Match`') },
        } as DescribedResponse,
      }
    : responses;

function describeBody(body: NonNullable<Operation['requestBody']>): typeof body {
  if (!('content' in body)) return body;
  const content = Object.entries(body.content).map(([type, { schema, ...media }]) => [
    type,
    { ...media, ...(schema && { schema: describeDefaults(schema) }) },
  ]);
  return { ...body, content: Object.fromEntries(content) as typeof body.content };
}

function completeOperation(path: string, method: Method, operation: Operation): Operation {
  const described = Object.entries(operation.responses);
  const declared = described.filter(([status]) => Number(status) >= 400);
  const codes = new Set([
    ...declared.flatMap(([, response]) => codesIn(response)),
    ...commonCodes(path, method, operation),
  ]);
  const errors = describeErrors([...codes]).map(({ status, ...error }) => [status, error] as const);
  const refused = Object.entries({ ...Object.fromEntries(errors), default: ANY_ERROR });
  return {
    ...operation,
    ...(operation.requestBody && { requestBody: describeBody(operation.requestBody) }),
    ...(OPEN.test(path) && { security: [] }),
    responses: withTag({
      ...Object.fromEntries(described.filter(([status]) => Number(status) < 400)),
      ...Object.fromEntries(
        refused.map(([status, error]) => [status, withDetail(path, error as DescribedResponse)]),
      ),
    }),
  };
}

/**
 * Adds what applies to every operation, or follows from its input: credentials, the errors that may
 * come before it is called, and the headers of errors. A test compares the result with the routes,
 * and with the responses of the service.
 */
export function completeDocument(document: OpenAPIObject): OpenAPIObject {
  const paths = Object.entries(document.paths).map(([path, item]) => {
    const operations = METHODS.flatMap((method): [Method, Operation][] => {
      const operation = item[method];
      return operation ? [[method, completeOperation(path, method, operation)]] : [];
    });
    return [path, { ...item, ...Object.fromEntries(operations) }];
  });
  return {
    ...document,
    paths: Object.fromEntries(paths) as OpenAPIObject['paths'],
    // None with AUTH=none.
    security: [{ bearer: [] }, { key: [] }, { session: [] }, {}],
    components: {
      ...document.components,
      // They are request bodies.
      ...(document.components?.schemas && {
        schemas: describeDefaults(document.components.schemas),
      }),
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key or a token' },
        key: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        session: { type: 'apiKey', in: 'cookie', name: SESSION_COOKIE },
      },
    },
  };
}
