import { describe, expect, it } from '@jest/globals';
import { DependencyGraph } from './dependency-graph.js';

const node = (id: string, ...dependsOn: string[]) => ({ id, name: id, dependsOn });

describe('DependencyGraph', () => {
  it('puts dependencies before what depends on them', () => {
    const graph = new DependencyGraph([node('web', 'api'), node('api', 'db'), node('db')]);
    expect(graph.nodes.map(({ id }) => id)).toEqual(['db', 'api', 'web']);
    expect(graph.dependencies).toEqual([[], [0], [1]]);
  });

  it('leaves out circles, strangers and repetitions, and knows more nodes', () => {
    const graph = new DependencyGraph([node('a', 'b', 'b', 'x'), node('b', 'a', 'b')], ['c']);
    expect(graph.nodes.map(({ id }) => id)).toEqual(['b', 'a', 'c']);
    expect(graph.dependencies).toEqual([[], [0], []]);
    expect(() => graph.numberOf('x')).toThrow(RangeError);
  });

  it('finds the marked nodes below, over any number of words of bits', () => {
    const ids = Array.from({ length: 200 }, (_, i) => `n${i}`);
    const graph = new DependencyGraph(ids.map((id, i) => node(id, ...ids.slice(i + 1, i + 2))));
    const below = graph.below((number) => number % 2 === 0);
    const top = graph.numberOf('n0');
    expect(below(top)).toHaveLength(100);
    expect(below(top)[0]).toBe(top - 1);
    expect(below(graph.numberOf('n199'))).toEqual([]);
  });

  it('follows a chain that is longer than the call stack is deep', () => {
    const ids = Array.from({ length: 20_000 }, (_, i) => `n${i}`);
    const graph = new DependencyGraph(ids.map((id, i) => node(id, ...ids.slice(i + 1, i + 2))));
    expect(graph.numberOf('n0')).toBe(19_999);
  });
});
