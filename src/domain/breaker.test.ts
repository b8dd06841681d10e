import { describe, expect, it } from '@jest/globals';
import { BREAKER, chooseModel, CLOSED, mayCall, onAbandoned, onCall, onFailure, type Breaker } from './breaker.js';

const overloaded = { code: 'OVERLOADED', retryable: true } as const;
const fail = (breaker: Breaker, now = 0) => onFailure(breaker, overloaded, now, BREAKER);
const after = (failures: number, now = 0) => Array.from({ length: failures }).reduce<Breaker>((breaker) => fail(breaker, now), CLOSED);

describe('the breaker of a model', () => {
  it('opens after failures in a row, for a while', () => {
    expect([4, 5].map((n) => mayCall(after(n), 9_999))).toEqual([true, false]);
    expect(mayCall(after(5), 10_000)).toBe(true);
  });

  it('lets one call try, and nobody else meanwhile', () => {
    const trying = onCall(after(5), 10_000, BREAKER);
    expect(trying.state).toBe('trying');
    expect([mayCall(trying, 10_001), mayCall(trying, 130_000)]).toEqual([false, true]);
  });

  it('stays open twice as long after each trial that fails, up to a bound', () => {
    let breaker = after(5);
    const open: number[] = [];
    for (let now = 0, i = 0; i < 6; i++) {
      now = breaker.state === 'open' ? breaker.until : now;
      breaker = fail(onCall(breaker, now, BREAKER), now);
      if (breaker.state === 'open') open.push(breaker.until - now);
    }
    expect(open).toEqual([20_000, 40_000, 80_000, 120_000, 120_000, 120_000]);
  });

  it('does not count what says nothing of the health of the model', () => {
    const limited = { code: 'RATE_LIMITED', retryable: true } as const;
    const refused = { code: 'AI_ERROR', retryable: false } as const;
    for (const error of [limited, refused]) {
      expect(onFailure(after(4), error, 0, BREAKER)).toEqual(after(4));
      // It answered: it is back.
      expect(onFailure(onCall(after(5), 10_000, BREAKER), error, 0, BREAKER)).toEqual(CLOSED);
    }
  });

  it('lets the next call try when a trial was given up, and counts on', () => {
    const given = onAbandoned(onCall(after(5), 10_000, BREAKER), 11_000);
    expect(mayCall(given, 11_000)).toBe(true);
    expect(fail(onCall(given, 11_000, BREAKER), 11_000)).toEqual({ state: 'open', until: 31_000, times: 2 });
    expect(onAbandoned(after(4), 1)).toEqual(after(4));
  });

  it('ignores what was under way when it opened', () => {
    expect(fail(after(5), 5_000)).toEqual(after(5));
  });
});

describe('the choice of a model', () => {
  const choose = (state: Record<string, Breaker>, now = 0) => chooseModel(['big', 'small', 'tiny'], (name) => state[name] ?? CLOSED, now);

  it('is the first that may be called', () => {
    expect(choose({})).toBe('big');
    expect(choose({ big: after(5) })).toBe('small');
    expect(choose({ big: after(5), small: after(5) })).toBe('tiny');
    expect(choose({ big: after(5), small: after(5) }, 10_000)).toBe('big');
  });

  it('is the one that may be called the soonest, when none may', () => {
    expect(choose({ big: after(5, 2), small: after(5, 1), tiny: after(5, 3) })).toBe('small');
  });
});
