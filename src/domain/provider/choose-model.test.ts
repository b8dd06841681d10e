import { describe, expect, it } from '@jest/globals';
import { chooseModel } from './choose-model.js';

describe('chooseModel', () => {
  const choose = (open: Record<string, number>, now = 0) =>
    chooseModel(['big', 'small', 'tiny'], (name) => open[name] ?? 0, now);

  it('returns the first model whose breaker is closed', () => {
    expect(choose({})).toBe('big');
    expect(choose({ big: 10 })).toBe('small');
    expect(choose({ big: 10, small: 10 })).toBe('tiny');
    expect(choose({ big: 10, small: 10 }, 10)).toBe('big');
  });

  it('returns the model whose breaker closes first if all are open', () => {
    expect(choose({ big: 12, small: 11, tiny: 13 })).toBe('small');
  });
});
