import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { afterFailure, RETRY, type FailedAttempt } from './retry-policy.js';

const failed = (more: Partial<FailedAttempt> = {}): FailedAttempt => ({
  code: 'OVERLOADED',
  retryable: true,
  ...more,
});
const FAR = 1e15;
const within = (now: number, deadline: number, jitter: number) => ({
  now,
  deadline,
  settings: RETRY,
  jitter,
});

describe('afterFailure', () => {
  it('obeys Retry-After to the millisecond', () => {
    expect(afterFailure(failed({ retryAfterMs: 7_000 }), 1, within(0, FAR, 0.5))).toEqual({
      kind: 'retry',
      afterMs: 7_000,
    });
    expect(afterFailure(failed({ retryAfterMs: 1 }), 5, within(0, FAR, 0.5))).toEqual({
      kind: 'retry',
      afterMs: 1,
    });
  });

  it('uses its own wait if Retry-After is 0', () => {
    const waits = [1, 2, 3].map((attempt) =>
      afterFailure(failed({ retryAfterMs: 0 }), attempt, within(0, FAR, 1)),
    );
    expect(waits).toEqual([500, 1_000, 2_000].map((afterMs) => ({ kind: 'retry', afterMs })));
  });

  it('doubles its own waits up to a bound, the upper half at random', () => {
    const waits = (jitter: number) =>
      [1, 2, 3, 7]
        .map((attempt) => afterFailure(failed(), attempt, within(0, FAR, jitter)))
        .map((d) => d.kind === 'retry' && d.afterMs);
    expect(waits(0)).toEqual([250, 500, 1_000, 10_000]);
    expect(waits(1)).toEqual([500, 1_000, 2_000, 20_000]);
  });

  it('stops at once if the request would fail again', () => {
    expect(
      afterFailure(failed({ retryable: false, retryAfterMs: 1 }), 1, within(0, FAR, 0)),
    ).toEqual({ kind: 'give-up', why: 'final' });
  });

  it.each([
    ['AI_ERROR', 4],
    ['OVERLOADED', 8],
    ['RATE_LIMITED', 10],
  ] as const)('gives up on %s after %i attempts', (code, most) => {
    const kinds = [most - 1, most].map(
      (attempt) => afterFailure(failed({ code }), attempt, within(0, FAR, 0)).kind,
    );
    expect(kinds).toEqual(['retry', 'give-up']);
  });

  it('does not wait past the deadline', () => {
    expect(afterFailure(failed({ retryAfterMs: 300 }), 1, within(1_000, 1_301, 0)).kind).toBe(
      'retry',
    );
    expect(afterFailure(failed({ retryAfterMs: 300 }), 1, within(1_000, 1_300, 0))).toEqual({
      kind: 'give-up',
      why: 'deadline',
    });
  });

  it('never waits less than requested, nor past the deadline, nor for ever', () => {
    const error = fc.record({
      code: fc.constantFrom('RATE_LIMITED' as const, 'OVERLOADED' as const, 'AI_ERROR' as const),
      retryable: fc.boolean(),
      retryAfterMs: fc.nat(1e9),
    });
    fc.assert(
      fc.property(
        error,
        fc.integer({ min: 1, max: 50 }),
        fc.nat(1e9),
        fc.nat(1e9),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (e, n, now, left, chance) => {
          const decision = afterFailure(e, n, within(now, now + left, chance));
          if (decision.kind === 'give-up') return;
          expect(e.retryable && n < 10).toBe(true);
          expect(decision.afterMs).toBeGreaterThanOrEqual(e.retryAfterMs);
          expect(decision.afterMs).toBeLessThan(left);
        },
      ),
    );
  });
});
