/** Keywords whose values are schemas under freely chosen names. */
const BY_NAME = new Set(['properties', 'patternProperties']);
/** Keywords whose values are data, not schemas. */
const DATA = new Set(['example', 'examples', 'enum', 'const']);

/**
 * Writes the defaults of a request's schema into its descriptions. Generators of clients treat a
 * property with a `default` as always present, which is right only for a response.
 */
export function describeDefaults<Schema>(schema: Schema): Schema {
  return schemaOf(schema) as Schema;
}

function schemaOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(schemaOf);
  if (typeof value !== 'object' || value === null) return value;
  const { default: usual, description, ...rest } = value as Record<string, unknown>;
  const text = [
    ...(typeof description === 'string' ? [description] : []),
    ...(usual === undefined ? [] : [`Default: ${JSON.stringify(usual)}`]),
  ].join('. ');
  const keywords = Object.entries(rest).map(([key, each]) => {
    if (DATA.has(key)) return [key, each];
    return [key, BY_NAME.has(key) ? byName(each) : schemaOf(each)];
  });
  return { ...Object.fromEntries(keywords), ...(text !== '' && { description: text }) };
}

const byName = (schemas: unknown): unknown =>
  Object.fromEntries(Object.entries(schemas ?? {}).map(([name, each]) => [name, schemaOf(each)]));
