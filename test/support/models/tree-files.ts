import { expect } from '@jest/globals';
import { ConsiliumError } from '../../../src/domain/errors.js';
import type { KnownNames } from '../../../src/domain/behaviour-tree/compilation.js';
import { compileTree } from '../../../src/domain/behaviour-tree/compile-tree.js';

const FILES: Record<string, string> = {
  helper: '(tree helper (action a))',
  outer: '(tree outer (subtree helper))',
  ping: '(tree ping (subtree pong))',
  pong: '(tree pong\n  (sequence (subtree ping)))',
  whole: '(tree whole (action a)\n :finally (action a))',
  broken: '(tree broken\n  (action unknown))',
  open: '(tree open',
  ...Object.fromEntries(
    Array.from({ length: 20 }, (_, i) => [
      `b${i}`,
      `(tree b${i} (subtree b${i + 1}) (subtree b${i + 1}))`,
    ]),
  ),
  b20: '(tree b20 (action a))',
};
/** The names that trees of a test may use, and the files of other trees. */
export const known: KnownNames = {
  actions: ['a', 'b', 'tools.execute'],
  conditions: ['x?', 'within-budget?'],
  tree: (name) =>
    Object.hasOwn(FILES, name) ? { file: `${name}.tree`, text: FILES[name] as string } : undefined,
};

/** The faults of a tree file: `path message`. */
export function faultsOf(text: string, names = known): string[] {
  try {
    compileTree(text, 't.tree', names);
    return [];
  } catch (error) {
    if (!(error instanceof ConsiliumError)) throw error;
    const faults = error.options.faults ?? [];
    for (const { path, message } of faults) expect(error.message).toContain(`${path}: ${message}`);
    return faults.map(({ path, message }) => `${path} ${message}`);
  }
}
