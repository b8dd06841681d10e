import { describe, expect, it } from '@jest/globals';
import { Recent } from './recent.js';

describe('Recent', () => {
  it('forgets what was used longest ago when there is too much', () => {
    const recent = new Recent<string>(10, 1_000);
    recent.set('a', 'A', 4);
    recent.set('b', 'B', 4);
    expect(recent.get('a')).toBe('A');
    recent.set('c', 'C', 4);
    expect(['a', 'b', 'c'].map((key) => recent.get(key))).toEqual(['A', undefined, 'C']);
  });

  it('counts what takes the place of another once, and keeps nothing that is too large by itself', () => {
    const recent = new Recent<string>(10, 1_000);
    recent.set('a', 'A', 6);
    recent.set('a', 'B', 6);
    recent.set('b', 'B', 4);
    recent.set('c', 'C', 11);
    expect(['a', 'b', 'c'].map((key) => recent.get(key))).toEqual(['B', 'B', undefined]);
    recent.delete('a');
    recent.set('c', 'C', 6);
    expect(['a', 'b', 'c'].map((key) => recent.get(key))).toEqual([undefined, 'B', 'C']);
  });

  it('forgets what was not used for long, though there is room', () => {
    let now = 0;
    const recent = new Recent<string>(100, 1_000, () => now);
    recent.set('a', 'A', 1);
    recent.set('b', 'B', 1);
    now = 900;
    expect(recent.get('a')).toBe('A');
    now = 1_100;
    recent.set('c', 'C', 101);
    expect(['a', 'b', 'c'].map((key) => recent.get(key))).toEqual(['A', undefined, undefined]);
  });
});
