import type { z } from 'zod';
import { schemaFaults } from '../../config/schema-faults.js';

/**
 * Checks the arguments that a model wrote. A number or a boolean that is written as text (`"3"`) is
 * converted.
 * @returns the arguments, or what is wrong with them, for the model. Never throws, although the
 *   length checks of zod do on hostile objects
 */
export function checkArgs<T>(schema: z.ZodType<T>, args: unknown): { args: T } | { fault: string } {
  try {
    const first = schema.safeParse(args);
    if (first.success) return { args: first.data };
    const read = schemaFaults(schema, coerced(args, first.error.issues));
    if ('value' in read) return { args: read.value };
    const { faults } = read;
    return {
      fault: faults.map(({ path, message }) => `${path || 'arguments'}: ${message}`).join('; '),
    };
  } catch {
    return { fault: 'arguments: they are not of the form that the schema describes' };
  }
}

type Issue = z.core.$ZodIssue;

/**
 * The arguments with texts replaced where an issue says that a number or a boolean was expected.
 */
function coerced(args: unknown, issues: readonly Issue[]): unknown {
  const copy: unknown = structuredClone(args);
  for (const issue of issues) {
    if (issue.code !== 'invalid_type') continue;
    const last = issue.path.at(-1);
    const parent = issue.path
      .slice(0, -1)
      .reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown>)[key], copy);
    if (last === undefined || typeof parent !== 'object' || parent === null) continue;
    const fields = parent as Record<PropertyKey, unknown>;
    fields[last] = valueOf(fields[last], issue.expected);
  }
  return copy;
}

function valueOf(value: unknown, expected: string): unknown {
  if (typeof value !== 'string') return value;
  if (expected === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  const isNumber = /^-?\d{1,15}(\.\d{1,15})?$/.test(value);
  return (expected === 'number' || expected === 'int') && isNumber ? Number(value) : value;
}
