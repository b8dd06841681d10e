import { parse, TomlError } from 'smol-toml';
import type { z } from 'zod';
import type { Fault } from '../domain/errors.js';
import { FaultList } from '../domain/fault-list.js';
import { readPart } from '../domain/read-part.js';

const DEEPEST = 8;

/**
 * Reads a TOML file by its schema.
 * @param file as it is named in faults
 * @param known keys by the table that holds them, for messages
 * @returns what it says, or every fault of it with its line
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
        { path: `${file}:${error.line}:${error.column}`, message: `is not TOML here: ${why}` },
      ],
    };
  }
  const faults = new FaultList();
  const value = readPart(schema, parsed, [], known, faults);
  if (faults.count === 0 && value !== undefined) return { value };
  return {
    faults: faults.all().map(({ path, message }) => ({ path: at(text, file, path), message })),
  };
}

/** `rules/x.toml:4 condition.expression`: where in its file a path is. */
export function at(text: string, file: string, path: string): string {
  const line = lineOf(text, path);
  return `${file}${line === undefined ? '' : `:${line}`}${path === '' ? '' : ` ${path}`}`;
}

/** The line of a key in its table, else that of the table. From 1. */
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
