import { describe, expect, it } from '@jest/globals';
import { chooseModel } from './choose-model.js';

describe('the choice of a model', () => {
  const choose = (open: Record<string, number>, now = 0) =>
    chooseModel(['big', 'small', 'tiny'], (name) => open[name] ?? 0, now);

  it('is the first that may be called', () => {
    expect(choose({})).toBe('big');
    expect(choose({ big: 10 })).toBe('small');
    expect(choose({ big: 10, small: 10 })).toBe('tiny');
    expect(choose({ big: 10, small: 10 }, 10)).toBe('big');
  });

  it('is the one that may be called the soonest, when none may', () => {
    expect(choose({ big: 12, small: 11, tiny: 13 })).toBe('small');
  });
});
