import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ANY_ACTIONS, ANY_CONDITIONS, anyTree } from '../../../test/support/any-tree.js';
import type { Json } from '../../lib/json.js';
import { compileTree } from './compile-tree.js';
import { printTree } from './print-tree.js';

const known = { actions: ANY_ACTIONS, conditions: ANY_CONDITIONS };

const key = fc.stringMatching(/^[a-z][a-z0-9_-]{0,8}$/);
const { json } = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3 },
    fc.string({ unit: 'binary' }),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(key, tie('json'), { maxKeys: 3, noNullPrototype: true }),
  ),
}));
const compiled = fc.record({
  name: fc.string({ unit: 'binary' }).filter((text) => text.trim() !== ''),
  description: fc.string({ unit: 'binary' }),
  blackboard: fc.dictionary(key, json, { noNullPrototype: true }),
  tree: anyTree(),
});

describe('a tree that is printed', () => {
  it('is the same tree when it is compiled again', () => {
    fc.assert(
      fc.property(compiled, (tree) => {
        const text = printTree(tree);
        expect(compileTree(text, 'printed.tree', known)).toEqual(tree);
        expect(printTree(compileTree(text, 'printed.tree', known))).toBe(text);
      }),
      { numRuns: 300 },
    );
  });
  it('can be read', () => {
    const text = `(tree worker
  :description "Looks at one node."
  (repeater :max-iterations 5 :until-success
    (selector
      (sequence (condition x?) (action a))
      (for-each (blackboard :calls) :policy :require-n :n 2 (action "run it" :fn "tools.execute"))))
  :finally
    (action b))
`;
    expect(printTree(compileTree(text, 'worker.tree', known))).toBe(text);
  });
});
