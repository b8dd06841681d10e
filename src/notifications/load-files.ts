import { join } from 'node:path';
import type { z } from 'zod';
import { readTextFiles, type TextFile } from '../config/read-text-files.js';
import { ConsiliumError, type Fault } from '../domain/errors.js';
import { at, parseToml } from './parse-toml.js';

const ENDING = '.toml';
const MAX_BYTES = 65_536;
const MOST_FILES = 500;

/** Beside `src` and `dist` alike. */
export const shipped = (folder: string): string => join(import.meta.dirname, '../..', folder);

/** What was read of a file. */
export interface Loaded<Value> {
  value: Value;
  /** `shipped` with the service, or a `user`'s. */
  origin: 'shipped' | 'user';
  /** Name of the file, without its folder. */
  file: string;
}

/** How a kind of file is read. */
export interface Kind<Schema extends z.ZodType> {
  /** For messages: "Rules". */
  title: string;
  schema: Schema;
  /** Keys by the table that holds them. */
  known: Readonly<Record<string, readonly string[]>>;
  idOf(value: z.output<Schema>): string;
  /** The path of the id in the file. */
  idPath: string;
  isCore(value: z.output<Schema>): boolean;
  isEnabled(value: z.output<Schema>): boolean;
  /** What else is wrong with it, and where. */
  check?(value: z.output<Schema>): Fault | undefined;
}

/**
 * The files of a kind, by id: the shipped ones, and those of a user's folder, where one of the same id stands in for a
 * shipped one that is not core.
 * @param folder of the user; undefined: none
 * @throws ConsiliumError `VALIDATION_FAILED` with file, line and reason of everything that is wrong
 */
export function loadFiles<Schema extends z.ZodType>(
  kind: Kind<Schema>,
  shippedFolder: string,
  folder: string | undefined,
): Loaded<z.output<Schema>>[] {
  const faults: Fault[] = [];
  const loaded = new Map<string, Loaded<z.output<Schema>>>();
  const read = (from: string, origin: 'shipped' | 'user') => {
    const files = readTextFiles(from, ENDING, MAX_BYTES);
    if (files.length > MOST_FILES)
      faults.push({
        path: from,
        message: `holds ${files.length} files; at most ${MOST_FILES} are read`,
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
      wrong(kind.idPath, 'is core, which cannot be switched off');
    if (same?.origin === origin) wrong(kind.idPath, `is the id in ${same.file} too`);
    else if (same && kind.isCore(same.value))
      wrong(kind.idPath, `is the id of a core one that is shipped; nothing stands in for that`);
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
