import { readTextFiles, type TextFile } from '../config/read-text-files.js';
import { TEXT_BOUNDS } from '../domain/behaviour-tree/read-forms.js';

const ENDING = '.tree';
/** UTF-8 has at most four for a character. */
const MAX_BYTES = 4 * TEXT_BOUNDS.characters;

/** A file of the name `NAME.tree`. */
export type TreeFile = TextFile;

export const withoutEnding = (name: string): string =>
  name.endsWith(ENDING) ? name.slice(0, -ENDING.length) : name;

/**
 * The `*.tree` files of a folder, not below it, by name.
 * @throws Error that says which folder or file cannot be read
 */
export const readTreeFiles = (folder: string): TreeFile[] =>
  readTextFiles(folder, ENDING, MAX_BYTES);
