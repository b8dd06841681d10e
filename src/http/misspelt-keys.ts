import { z } from 'zod';
import type { Fault } from '../domain/errors.js';
import { isAbbreviation, isMisspelt, quote } from '../lib/text.js';

/** The keys that a schema of an object knows. */
export function keysOf(schema: z.ZodType): string[] {
  const { properties } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return Object.keys(properties ?? {});
}

const isObject = (input: unknown): input is Record<string, unknown> =>
  typeof input === 'object' && input !== null && !Array.isArray(input);

const unknownKey = (path: string, meant: string, what = 'unknown key'): Fault => ({
  path,
  message: `${what}; did you mean ${quote(meant)}?`,
});

/**
 * Faults that name the unknown keys of a body that probably are misspelt names of missing ones.
 * Unknown keys alone are no fault of a body: this explains the faults of the missing keys.
 * @param faults of the body; a fault of a missing key has the key as its path
 */
export function misspeltOfMissing(
  input: unknown,
  known: readonly string[],
  faults: readonly Fault[],
): Fault[] {
  if (!isObject(input)) return [];
  const unknown = Object.keys(input).filter((key) => !known.includes(key));
  const missing = faults
    .map(({ path }) => path)
    .filter((path) => known.includes(path) && input[path] === undefined);
  return missing.flatMap((path) => {
    const given = unknown.find((key) => isSlip(key, path) || isAbbreviation(key, path));
    return given === undefined ? [] : [unknownKey(given, path)];
  });
}

/**
 * Faults of the unknown parameters of a query that are near misses of known ones; any other one is
 * ignored.
 */
export function misspeltParameters(input: unknown, known: readonly string[]): Fault[] {
  if (!isObject(input)) return [];
  return Object.keys(input).flatMap((name) => {
    if (known.includes(name)) return [];
    const meant = known.find((each) => isSlip(name, each));
    return meant === undefined ? [] : [unknownKey(name, meant, 'unknown parameter')];
  });
}

function isSlip(name: string, known: string): boolean {
  const given = name.toLowerCase();
  const word = known.toLowerCase();
  return given === word || isMisspelt(given, word);
}
