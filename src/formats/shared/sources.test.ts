import { expect, it } from '@jest/globals';
import { newSources } from './sources.js';

const source = (path: string, score: number) => ({ path, source_type: 'run', snippet: '', score });

it('cites each source once in a turn, the best first', () => {
  const all = [source('a', 0.5), source('b', 1), source('a', 0.9), source('c', 0.7)];
  expect(newSources(['c'], all)).toEqual([source('b', 1), source('a', 0.9)]);
});
