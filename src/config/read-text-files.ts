import { isUtf8 } from 'node:buffer';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** A text file of a folder that the configuration names. */
export interface TextFile {
  /** Of the file, without its ending. */
  name: string;
  /** Path, as it is named in messages. */
  file: string;
  text: string;
}

/**
 * The files of a folder, not below it, whose names have an ending, by name. Read at once: the service does not start
 * without them.
 * @param ending with its dot
 * @param maxBytes of one file
 * @throws Error that says which folder or file cannot be read
 */
export function readTextFiles(folder: string, ending: string, maxBytes: number): TextFile[] {
  return reading(folder, () => readdirSync(folder))
    .filter((name) => name.endsWith(ending))
    .sort()
    .map((name) => {
      const file = join(folder, name);
      return {
        name: name.slice(0, -ending.length),
        file,
        text: reading(file, () => readBounded(file, maxBytes)),
      };
    });
}

function readBounded(file: string, maxBytes: number): string {
  const stat = statSync(file);
  if (!stat.isFile()) throw new Error('it is no file');
  if (stat.size > maxBytes)
    throw new Error(`it has ${stat.size} bytes; at most ${maxBytes} are read`);
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
