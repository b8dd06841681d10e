import { join } from 'node:path';
import type { z } from 'zod';
import { readTextFiles, type TextFile } from '../config/read-text-files.js';
import { ConsiliumError, type Fault } from '../domain/errors.js';
import { at, parseToml } from './parse-toml.js';

const ENDING = '.toml';
const MAX_BYTES = 65_536;
const MOST_FILES = 500;

/** Has the same path relative to `src` and `dist`. */
export const shippedPath = (folder: string): string => join(import.meta.dirname, '../..', folder);

/** The content of a file. */
export interface LoadedFile<Value> {
  value: Value;
  /** `shipped` with the service, or `user`. */
  origin: 'shipped' | 'user';
  /** Name of the file without its folder. */
  file: string;
}

/** How to read a kind of file. */
export interface TomlFileKind<Schema extends z.ZodType> {
  /** Used in messages: "Rules". */
  title: string;
  schema: Schema;
  /** Allowed keys of each table. */
  known: Readonly<Record<string, readonly string[]>>;
  idOf(value: z.output<Schema>): string;
  /** Path of the id in the file. */
  idPath: string;
  isCore(value: z.output<Schema>): boolean;
  isEnabled(value: z.output<Schema>): boolean;
  /** Finds other faults of the value. */
  check?(value: z.output<Schema>): Fault | undefined;
}

/**
 * Reads the files of a kind, by id: the shipped ones, and those of a folder, which may replace
 * shipped files that are not core.
 * @param folder of custom files; undefined: none
 * @throws ConsiliumError `VALIDATION_FAILED` with file, line and reason of every fault
 */
export function loadFiles<Schema extends z.ZodType>(
  kind: TomlFileKind<Schema>,
  shippedFolder: string,
  folder: string | undefined,
): LoadedFile<z.output<Schema>>[] {
  const faults: Fault[] = [];
  const loaded = new Map<string, LoadedFile<z.output<Schema>>>();
  const read = (from: string, origin: 'shipped' | 'user') => {
    const files = readTextFiles(from, ENDING, MAX_BYTES);
    if (files.length > MOST_FILES)
      faults.push({
        path: from,
        message: `has ${files.length} files, more than the maximum of ${MOST_FILES}`,
      });
    else for (const file of files) add(file, origin);
  };
  const add = ({ name, file, text }: TextFile, origin: 'shipped' | 'user') => {
    const parsed = parseToml(text, file, kind.schema, kind.known);
    if ('faults' in parsed) return void faults.push(...parsed.faults);
    const { value } = parsed;
    const id = kind.idOf(value);
    const same = loaded.get(id);
    const wrong = (path: string, message: string) =>
      void faults.push({ path: at(text, file, path), message });
    const fault = kind.check?.(value);
    if (fault) wrong(fault.path, fault.message);
    if (kind.isCore(value) && !kind.isEnabled(value))
      wrong(kind.idPath, 'is core and cannot be disabled');
    if (same?.origin === origin) wrong(kind.idPath, `is also the id of ${same.file}`);
    else if (same && kind.isCore(same.value))
      wrong(kind.idPath, `is the id of a shipped core file, which cannot be replaced`);
    else loaded.set(id, { value, origin, file: `${name}${ENDING}` });
  };
  read(shippedFolder, 'shipped');
  if (folder !== undefined) read(folder, 'user');
  if (faults.length > 0) {
    const lines = faults.map(({ path, message }) => `\n  ${path}: ${message}`);
    throw new ConsiliumError(
      'VALIDATION_FAILED',
      `${kind.title} that cannot be used:${lines.join('')}`,
      { faults },
    );
  }
  return [...loaded.values()];
}
