import { describe, expect, it } from '@jest/globals';
import { Recent } from './recent.js';

describe('Recent', () => {
  it('forgets what was used longest ago when there is too much', () => {
    const recent = new Recent<string>(10);
    recent.set('a', 'A', 4);
    recent.set('b', 'B', 4);
    expect(recent.get('a')).toBe('A');
    recent.set('c', 'C', 4);
    expect(['a', 'b', 'c'].map((key) => recent.get(key))).toEqual(['A', undefined, 'C']);
  });

  it('counts what takes the place of another once, and keeps nothing that is too large by itself', () => {
    const recent = new Recent<string>(10);
    recent.set('a', 'A', 6);
    recent.set('a', 'B', 6);
    recent.set('b', 'B', 4);
    recent.set('c', 'C', 11);
    expect(['a', 'b', 'c'].map((key) => recent.get(key))).toEqual(['B', 'B', undefined]);
    recent.delete('a');
    recent.set('c', 'C', 6);
    expect(['a', 'b', 'c'].map((key) => recent.get(key))).toEqual([undefined, 'B', 'C']);
  });
});
