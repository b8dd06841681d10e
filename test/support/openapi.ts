import { expect } from '@jest/globals';
import { Ajv, type AnySchema } from 'ajv';
import type { Api } from './api.js';

type Schema = Record<string, unknown>;
interface Described {
  description: string;
  headers?: Record<string, unknown>;
  content?: Record<string, { schema?: AnySchema }>;
}
export interface Parameter {
  in: 'path' | 'query' | 'header';
  name: string;
  required?: boolean;
  schema?: Schema;
}
export interface Operation {
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema; examples?: Schema }> };
  responses: Record<string, Described>;
  security?: unknown[];
}
export interface OpenApi {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, { properties: Record<string, Schema> }> };
}

/** The OpenAPI document that the service serves. */
export const servedDocument = async ({ url }: Api): Promise<OpenApi> =>
  (await (await fetch(`${url}/docs-json`)).json()) as OpenApi;

export const operationsOf = ({ paths }: OpenApi) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );

/** OpenAPI 3.0 has `nullable`, and truth values as exclusive bounds. */
function toJsonSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(toJsonSchema);
  if (typeof schema !== 'object' || schema === null) return schema;
  const {
    nullable,
    exclusiveMinimum: _,
    exclusiveMaximum: __,
    ...rest
  } = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, toJsonSchema(value)]));
  return nullable === true ? { anyOf: [rest, { type: 'null' }] } : rest;
}

const ajv = new Ajv({ strict: false, formats: { 'date-time': true } });

/** Expects that an answer is what an operation describes for its status. */
export function expectJson(
  name: string,
  { responses }: Operation,
  status: number,
  answer: unknown,
): void {
  const schema = responses[String(status)]?.content?.['application/json']?.schema;
  expect([name, status, schema]).toEqual([name, status, expect.anything()]);
  const valid = ajv.compile(toJsonSchema(schema) as AnySchema);
  expect([name, valid(answer), valid.errors]).toEqual([name, true, null]);
}
