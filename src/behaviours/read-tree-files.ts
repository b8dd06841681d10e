import { readTextFiles, type TextFile } from '../config/read-text-files.js';
import { TEXT_BOUNDS } from '../domain/behaviour-tree/read-forms.js';

const ENDING = '.tree';
/** A character has at most four bytes in UTF-8. */
const MAX_BYTES = 4 * TEXT_BOUNDS.characters;

/** A file `NAME.tree`. */
export type TreeFile = TextFile;

export const withoutEnding = (name: string): string =>
  name.endsWith(ENDING) ? name.slice(0, -ENDING.length) : name;

/**
 * Reads the `*.tree` files of a folder (not of its subfolders), by name.
 * @throws Error that names the folder or file that cannot be read
 */
export const readTreeFiles = (folder: string): TreeFile[] =>
  readTextFiles(folder, ENDING, MAX_BYTES);
