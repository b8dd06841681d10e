import { describe, expect, it } from '@jest/globals';
import { yamlDepth } from './yaml-depth.js';

describe('yamlDepth', () => {
  it.each([
    ['', 0],
    ['a: 1', 1],
    ['a:\n  b:\n    c: 1\nd: 1', 3],
    ['a: [[1], [2]]', 3],
    ['- - - 1', 4],
    ['a:\n\n# x\n  b: 1', 2],
  ])('is at least the depth of %j', (text, depth) =>
    expect(yamlDepth(text)).toBeGreaterThanOrEqual(depth),
  );

  it('does not depend on the length of a text', () => {
    const nodes = Array.from({ length: 900 }, (_, i) => `  - { id: n${i}, dependsOn: [a, b] }`);
    expect(yamlDepth(`nodes:\n${nodes.join('\n')}\n`)).toBeLessThan(6);
  });

  it.each(['['.repeat(20_000), '- '.repeat(20_000), '? '.repeat(20_000), '[\n'.repeat(20_000)])(
    'finds 20,000 levels',
    (text) => expect(yamlDepth(text)).toBeGreaterThan(10_000),
  );
});
