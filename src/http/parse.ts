import { z } from 'zod';
import { ConsiliumError, type Fault } from '../domain/errors.js';

const NAMED = 3;

/**
 * The error for invalid input, with all faults. Its message names the first ones, because many
 * pages show nothing else.
 */
export function invalid(faults: Fault[]): ConsiliumError {
  const named = faults.slice(0, NAMED).map(({ path, message }) => `${path} ${message}`);
  const rest = faults.length > NAMED ? `; and ${faults.length - NAMED} more` : '';
  const message = `The request is not valid: ${named.join('; ')}${rest}`;
  return new ConsiliumError('VALIDATION_FAILED', message, { faults });
}

/**
 * Validates input. Unknown keys are ignored.
 * @param name of the whole input in faults
 * @throws ConsiliumError VALIDATION_FAILED with every fault
 */
export function parseWith<T>(schema: z.ZodType<T>, input: unknown, name = 'body'): T {
  const parsed = schema.safeParse(input, { error: describeIssue });
  if (parsed.success) return parsed.data;
  throw invalid(
    parsed.error.issues.map(({ path, message }) => ({ path: path.join('.') || name, message })),
  );
}

const EXPECTED: Partial<Record<string, string>> = {
  array: 'must be a list',
  boolean: 'must be true or false',
  number: 'must be a number',
  object: 'must be an object',
  record: 'must be an object',
  string: 'must be a text',
};

/** The expected type, if the schema has no message of its own. */
function describeIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code !== 'invalid_type') return undefined;
  return (issue.path ?? []).length === 0 ? 'must be a JSON object' : EXPECTED[issue.expected];
}
