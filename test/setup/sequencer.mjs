import JestSequencer from '@jest/test-sequencer';

/**
 * Tests that wait for processes and time-outs come first; many short ones fill the workers at the
 * end.
 */
const ORDER = ['faults', 'service', 'unit'];
const rankOf = ({ context }) => ORDER.indexOf(context.config.displayName?.name);

/**
 * Orders test files as Jest does: the slowest first, by the times of earlier runs. Without those,
 * as in CI, Jest knows only the sizes of files; then the projects decide first.
 */
export default class Sequencer extends JestSequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    return sorted.every(({ duration }) => duration !== undefined)
      ? sorted
      : sorted.toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}
