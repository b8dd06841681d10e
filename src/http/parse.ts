import { z } from 'zod';
import { wordsOf } from '../config/schema-faults.js';
import { ConsiliumError, type Fault } from '../domain/errors.js';
import { keysOf, misspeltOfMissing } from './misspelt-keys.js';

const NAMED = 3;

/**
 * A message with the first faults, because many pages show nothing else; unchanged if it names the
 * first one itself.
 */
export function withFaults(message: string, faults: readonly Fault[]): string {
  const [first] = faults;
  if (first === undefined || message.includes(first.message)) return message;
  const named = faults.slice(0, NAMED).map(({ path, message: what }) => `${path} ${what}`.trim());
  const rest = faults.length > NAMED ? `; and ${faults.length - NAMED} more` : '';
  return `${message}: ${named.join('; ')}${rest}`;
}

/** The error for invalid input, with all faults. */
export const invalid = (faults: Fault[]): ConsiliumError =>
  new ConsiliumError('VALIDATION_FAILED', withFaults('The request is not valid', faults), {
    faults,
  });

/**
 * Validates input. Unknown keys are ignored; those that probably are misspelt names of missing ones
 * are named.
 * @param name of the whole input in faults
 * @throws ConsiliumError VALIDATION_FAILED with every fault
 */
export function parseWith<T>(schema: z.ZodType<T>, input: unknown, name = 'body'): T {
  const parsed = schema.safeParse(input, { error: describeIssue });
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => ({
    path: path.join('.') || name,
    message,
  }));
  throw invalid([...faults, ...misspeltOfMissing(input, keysOf(schema), faults)]);
}

const EXPECTED: Partial<Record<string, string>> = {
  array: 'must be a list',
  boolean: 'must be true or false',
  number: 'must be a number',
  object: 'must be an object',
  record: 'must be an object',
  string: 'must be a text',
};

/** Faults that have the words of settings files. */
const WORDED = new Set(['invalid_value', 'too_small', 'too_big']);

/** The words of a fault, if the schema has no message of its own. */
function describeIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (WORDED.has(issue.code ?? '')) return wordsOf(issue);
  if (issue.code !== 'invalid_type') return undefined;
  return (issue.path ?? []).length === 0 ? 'must be a JSON object' : EXPECTED[issue.expected];
}
