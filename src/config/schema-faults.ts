import { z } from 'zod';
import type { Fault } from '../domain/errors.js';
import { allowed, nearest } from '../lib/text.js';

/**
 * The faults of a value of a settings file. No message repeats a value: it may be a credential in
 * the wrong place.
 */
export function schemaFaults<T>(
  schema: z.ZodType<T>,
  value: unknown,
): { value: T } | { faults: Fault[] } {
  const parsed = schema.safeParse(value, { error: wordsOf });
  return parsed.success
    ? { value: parsed.data }
    : { faults: parsed.error.issues.flatMap(faultsOf) };
}

const NAMES: Readonly<Record<string, string>> = {
  string: 'a text',
  boolean: 'true or false',
  int: 'an integer',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

/** The text of a fault whose schema has no message. */
export function wordsOf(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? 'is missing'
        : `must be ${NAMES[issue.expected] ?? `a ${issue.expected}`}`;
    case 'invalid_value':
      return issue.values.length === 1
        ? `must be ${String(issue.values[0])}`
        : `must be one of ${issue.values.join(', ')}`;
    case 'invalid_union':
      return unionWords(issue);
    case 'too_small':
      return `must ${boundWords('least', issue.origin, issue.minimum)}`;
    case 'too_big':
      return `must ${boundWords('most', issue.origin, issue.maximum)}`;
    case 'invalid_format':
      return `must ${formatWords(issue)}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_key':
      return `is a key that is not allowed: it ${issue.issues[0]?.message ?? ''}`;
    case 'unrecognized_keys':
      // One text for all keys; `faultsOf` makes a fault of each.
      return JSON.stringify(knownKeysOf(issue.inst));
    default:
      return undefined;
  }
}

function unionWords({
  discriminator,
  inst,
  input,
}: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidUnion>) {
  const options = inst instanceof z.ZodUnion ? inst.options : [];
  if (discriminator === undefined) return `must be ${options.map(formOf).join(', or ')}`;
  const values = options.flatMap((option) =>
    option instanceof z.ZodObject ? literalsOf(option.shape[discriminator]) : [],
  );
  const given = (input as Record<string, unknown> | null | undefined)?.[discriminator];
  const near = typeof given === 'string' ? nearest(given, values) : undefined;
  const hint = near === undefined ? '' : `; did you mean ${near}?`;
  return `must be one of ${values.join(', ')}${hint}`;
}

/** `{bearer}`, `{user, password}`, `a text` */
const formOf = (schema: unknown): string =>
  schema instanceof z.ZodObject
    ? `{${Object.keys(schema.shape).join(', ')}}`
    : (NAMES[schema instanceof z.ZodType ? schema.type : ''] ??
      'another form of the documentation');

function formatWords({
  format,
  prefix,
  pattern,
}: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidStringFormat>) {
  if (typeof prefix === 'string') return `begin with ${prefix}`;
  return format === 'regex' ? `match ${pattern}` : `be a ${format}`;
}

const literalsOf = (schema: unknown): string[] =>
  schema instanceof z.ZodLiteral ? [...schema.values].map(String) : [];

const NOUNS: Readonly<Record<string, readonly [one: string, several: string]>> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
  object: ['key', 'keys'],
};

function boundWords(which: 'least' | 'most', origin: string, bound: number | bigint): string {
  const what = NOUNS[origin];
  if (what === undefined) return `be at ${which} ${bound}`;
  return `have at ${which} ${bound} ${Number(bound) === 1 ? what[0] : what[1]}`;
}

const knownKeysOf = (schema: unknown): string[] =>
  schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];

function faultsOf(issue: z.core.$ZodIssue): Fault[] {
  if (issue.code === 'unrecognized_keys') {
    const known = JSON.parse(issue.message) as string[];
    return issue.keys.map((key) => ({
      path: pathOf([...issue.path, key]),
      message: `unknown key; ${allowed(key, known)}`,
    }));
  }
  return [{ path: pathOf(issue.path), message: issue.message }];
}

const pathOf = (steps: readonly PropertyKey[]): string =>
  steps
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
    .join('')
    .replace(/^\./, '');
