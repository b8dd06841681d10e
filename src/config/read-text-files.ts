import { isUtf8 } from 'node:buffer';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ConsiliumError } from '../domain/errors.js';

/** A text file of a configured folder. */
export interface TextFile {
  /** Name of the file without its ending. */
  name: string;
  /** Path, for messages. */
  file: string;
  text: string;
}

/**
 * Reads the files of a folder (not of its subfolders) with an ending, by name. Synchronous, because
 * the service does not start without them.
 * @param ending with its dot
 * @param maxBytes of one file
 * @throws ConsiliumError VALIDATION_FAILED that names the folder or file that cannot be read
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
  if (!stat.isFile()) throw new Error('it is not a file');
  if (stat.size > maxBytes)
    throw new Error(`it has ${stat.size} bytes, more than the maximum of ${maxBytes}`);
  const bytes = readFileSync(file);
  if (!isUtf8(bytes)) throw new Error('it is not UTF-8');
  return bytes.toString('utf8');
}

function reading<Value>(path: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = `cannot be read: ${code ?? message}`;
    const faults = [{ path, message: why }];
    throw new ConsiliumError('VALIDATION_FAILED', `${path} ${why}`, { faults, cause: error });
  }
}
