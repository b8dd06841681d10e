import { isUtf8 } from 'node:buffer';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { TEXT_BOUNDS } from '../domain/behaviour-tree/read-forms.js';

/** A file of the name `NAME.tree`. */
export interface TreeFile {
  name: string;
  /** Path, as it is named in messages. */
  file: string;
  text: string;
}

/** UTF-8 has at most four for a character. */
const MAX_BYTES = 4 * TEXT_BOUNDS.characters;

export const withoutEnding = (name: string): string => name.replace(/\.tree$/, '');

/**
 * The `*.tree` files of a folder, not below it, by name. Read at once: the service does not start without them.
 * @throws Error that says which folder or file cannot be read
 */
export function readTreeFiles(folder: string): TreeFile[] {
  return reading(folder, () => readdirSync(folder))
    .filter((name) => name.endsWith('.tree'))
    .sort()
    .map((name) => {
      const file = join(folder, name);
      return { name: withoutEnding(name), file, text: reading(file, () => readBounded(file)) };
    });
}

function readBounded(file: string): string {
  const stat = statSync(file);
  if (!stat.isFile()) throw new Error('it is no file');
  if (stat.size > MAX_BYTES) throw new Error(`it has ${stat.size} bytes; at most ${MAX_BYTES} are read`);
  const bytes = readFileSync(file);
  if (!isUtf8(bytes)) throw new Error('it is not UTF-8');
  return bytes.toString('utf8');
}

function reading<Value>(path: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Error(`${path} cannot be read: ${code ?? message}`, { cause: error });
  }
}
