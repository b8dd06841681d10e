import { parse, TomlError } from 'smol-toml';
import type { z } from 'zod';
import type { Fault } from '../domain/errors.js';
import { FaultList } from '../domain/fault-list.js';
import { readPart } from '../domain/read-part.js';

const DEEPEST = 8;

/**
 * Parses a TOML file with its schema.
 * @param file name for faults
 * @param known keys of each table, for messages
 * @returns the value, or every fault with its line
 */
export function parseToml<Schema extends z.ZodType>(
  text: string,
  file: string,
  schema: Schema,
  known: Readonly<Record<string, readonly string[]>>,
): { value: z.output<Schema> } | { faults: Fault[] } {
  let parsed: unknown;
  try {
    parsed = parse(text, { maxDepth: DEEPEST, unsafeKeyBehaviour: 'throw' });
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const why = (error.message.split('\n')[0] ?? '').replace(/^Invalid TOML document: /, '');
    return {
      faults: [
        { path: `${file}:${error.line}:${error.column}`, message: `is not valid TOML: ${why}` },
      ],
    };
  }
  const faults = new FaultList();
  const value = readPart(schema, parsed, [], { knownKeys: known, faults });
  if (faults.count === 0 && value !== undefined) return { value };
  return {
    faults: faults.all().map(({ path, message }) => ({ path: at(text, file, path), message })),
  };
}

/** The location of a path in its file: `rules/x.toml:4 condition.expression`. */
export function at(text: string, file: string, path: string): string {
  const line = lineOf(text, path);
  return `${file}${line === undefined ? '' : `:${line}`}${path === '' ? '' : ` ${path}`}`;
}

/** The line of a key in its table, or of the table if the key is missing. From 1. */
function lineOf(text: string, path: string): number | undefined {
  const [table = '', key = ''] = path.split(/[.[]/);
  let current = '';
  let found: number | undefined;
  for (const [i, line] of text.split('\n').entries()) {
    const header = /^\s*\[\s*([\w-]+)[^\]]*\]/.exec(line)?.[1];
    if (header !== undefined) current = header;
    if (current !== table) continue;
    if (header !== undefined) found ??= i + 1;
    else if (/^\s*"?([\w-]+)"?\s*[=.]/.exec(line)?.[1] === key) return i + 1;
  }
  return found;
}
