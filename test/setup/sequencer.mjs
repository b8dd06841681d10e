import { join, relative } from 'node:path';
import JestSequencer from '@jest/test-sequencer';
import { SLOW_FILES } from './slow-files.mjs';

const ROOT = join(import.meta.dirname, '../..');
/** Where no time is known: many short tests fill the workers at the end. */
const ORDER = ['faults', 'service', 'unit'];
const rankOf = ({ context }) => ORDER.indexOf(context.config.displayName?.name);
const msOf = ({ duration, path }) => duration ?? 1_000 * (SLOW_FILES[relative(ROOT, path)] ?? 0);

/**
 * Orders test files as Jest does: the slowest first, by the times of earlier runs. A file without
 * one, as all are in CI, has the time of SLOW_FILES; where it has none either, the projects decide,
 * and then the sizes of files.
 */
export default class Sequencer extends JestSequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    return sorted.every(({ duration }) => duration !== undefined)
      ? sorted
      : sorted.toSorted((a, b) => msOf(b) - msOf(a) || rankOf(a) - rankOf(b));
  }
}
