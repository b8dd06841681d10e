import { describe, expect, it } from '@jest/globals';
import { addSources, answerSources } from './sources.js';

const source = (path: string, score: number) => ({ path, source_type: 'run', snippet: '', score });

describe('the sources of an answer', () => {
  it('has each source once, with its best score', () => {
    const first = addSources([], [source('a', 0.6), source('b', 1)]);
    expect(addSources(first, [source('a', 0.9), source('b', 0.7)])).toEqual([
      source('a', 0.9),
      source('b', 1),
    ]);
  });

  it('has the best first, and those of equal score in the order of the calls', () => {
    const all = [source('a', 0.9), source('b', 1), source('c', 0.9), source('d', 1)];
    expect(answerSources(all).map(({ path }) => path)).toEqual(['b', 'd', 'a', 'c']);
  });

  it('are at most eight, the best', () => {
    const all = Array.from({ length: 12 }, (_, i) => source(`runs/1/events/${i}`, 0.9));
    expect(answerSources([...all, source('runs/1/events/60', 1)]).map(({ path }) => path)).toEqual(
      [60, 0, 1, 2, 3, 4, 5, 6].map((at) => `runs/1/events/${at}`),
    );
  });

  it('leaves out what was only listed if something was read', () => {
    const all = [source('topologies', 0.3), source('runs/1', 0.5), source('runs/1/events/9', 1)];
    expect(answerSources(all)).toEqual([source('runs/1/events/9', 1)]);
  });

  it('has of lists only the one that was asked for', () => {
    const all = [source('topologies', 0.3), source('runs/1', 0.5), source('runs/2', 0.5)];
    expect(answerSources(all)).toEqual([source('runs/1', 0.5), source('runs/2', 0.5)]);
    expect(answerSources([source('topologies', 0.3)])).toEqual([source('topologies', 0.3)]);
    expect(answerSources([])).toEqual([]);
  });
});
