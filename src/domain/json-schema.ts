/** A JSON Schema. */
export type JsonSchema = { [key: string]: unknown };

export const text: JsonSchema = { type: 'string' };
/** A non-empty text. */
export const nonEmptyText: JsonSchema = { type: 'string', minLength: 1 };
export const count: JsonSchema = { type: 'integer', minimum: 0 };
export const from1: JsonSchema = { type: 'integer', minimum: 1 };
export const number: JsonSchema = { type: 'number' };
export const flag: JsonSchema = { type: 'boolean' };
export const anything: JsonSchema = {};
export const anyObject: JsonSchema = { type: 'object' };

export const list = (items: JsonSchema): JsonSchema => ({ type: 'array', items });
export const orNull = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: 'null' }] });
export const one = (...values: string[]): JsonSchema => ({ type: 'string', enum: values });

/**
 * An object with these properties; names that end in `?` are optional. More properties are allowed.
 */
export function object(properties: Record<string, JsonSchema>): JsonSchema {
  const entries = Object.entries(properties);
  const required = entries.map(([key]) => key).filter((key) => !key.endsWith('?'));
  const named = entries.map(([key, schema]) => [key.replace(/\?$/, ''), schema] as const);
  return {
    type: 'object',
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(named),
  };
}
