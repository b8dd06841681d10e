import { describe, expect, test } from '@jest/globals';
import { SeriesSample } from './series-sample.js';

const series = (name: string, points: number) => {
  const times = Array.from({ length: points }, (_, i) => i * 1_000);
  return { name, labels: {}, times, values: times.map((at) => at / 1_000) };
};
const held = (sample: SeriesSample) => sample.all().map(({ name, times }) => [name, times.length]);

describe('SeriesSample', () => {
  test('keeps every point while they fit', () => {
    const sample = new SeriesSample(1_000);
    sample.add(series('a', 400));
    sample.add(series('b', 600));
    expect(held(sample)).toEqual([
      ['a', 400],
      ['b', 600],
    ]);
  });

  test('thins out all series alike, on one grid', () => {
    const sample = new SeriesSample(1_000);
    for (const name of ['a', 'b', 'c', 'd']) sample.add(series(name, 480));
    expect(held(sample)).toEqual(['a', 'b', 'c', 'd'].map((name) => [name, 240]));
    const grids = sample.all().map(({ times }) => times.join());
    expect(new Set(grids).size).toBe(1);
    expect(sample.all()[3]?.values.slice(0, 3)).toEqual([0, 2, 4]);
  });

  test('leaves short series whole, and leaves off further ones when it is full', () => {
    const sample = new SeriesSample(1_000);
    for (let i = 0; i < 100; i++) sample.add(series(`s${i}`, 100));
    expect(sample.all().length).toBeLessThan(100);
    expect(sample.all().every(({ times }) => times.length >= 60)).toBe(true);
  });

  test('thins out a single long series', () => {
    const sample = new SeriesSample();
    sample.add(series('a', 100_000));
    expect(held(sample)).toEqual([['a', 20_000]]);
  });
});
