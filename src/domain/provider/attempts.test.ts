import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { modelFor, nextAttempt, NO_TRIES, type Tries } from './attempts.js';
import { RETRY, type FailedAttempt } from './retry-policy.js';

const overloaded: FailedAttempt = { code: 'OVERLOADED', retryable: true, retryAfterMs: 700 };
const refused: FailedAttempt = { code: 'AI_ERROR', retryable: false };
const when = (open: string[] = []) => ({
  openUntil: (model: string) => (open.includes(model) ? 1_000 : 0),
  now: 0,
  deadline: 60_000,
  settings: RETRY,
  jitter: 0,
});

describe('nextAttempt', () => {
  it('waits for the same model', () => {
    expect(
      nextAttempt(['big', 'small'], NO_TRIES, { model: 'big', error: overloaded }, when()),
    ).toMatchObject({
      kind: 'again',
      model: 'big',
      afterMs: 700,
    });
  });

  it('takes the next model at once if the breaker has opened', () => {
    expect(
      nextAttempt(['big', 'small'], NO_TRIES, { model: 'big', error: overloaded }, when(['big'])),
    ).toMatchObject({
      kind: 'again',
      model: 'small',
      afterMs: 0,
    });
  });

  it('keeps the only model even if its breaker is open', () => {
    expect(
      nextAttempt(['big'], NO_TRIES, { model: 'big', error: overloaded }, when(['big'])),
    ).toMatchObject({
      kind: 'again',
      model: 'big',
      afterMs: 700,
    });
  });

  it('drops a model that would fail again for the rest of the turn', () => {
    const next = nextAttempt(['big', 'small'], NO_TRIES, { model: 'big', error: refused }, when());
    expect(next).toMatchObject({
      kind: 'again',
      model: 'small',
      afterMs: 0,
      tries: { spent: ['big'] },
    });
    expect(modelFor(['big', 'small'], next.tries, () => 0, 0)).toBe('small');
  });

  it('is over if no model is left', () => {
    const tries: Tries = { failed: { big: 1 }, spent: ['big'] };
    expect(
      nextAttempt(['big', 'small'], tries, { model: 'small', error: refused }, when()).kind,
    ).toBe('over');
    expect(
      nextAttempt(
        ['big'],
        NO_TRIES,
        { model: 'big', error: { ...overloaded, retryAfterMs: 60_000 } },
        when(),
      ).kind,
    ).toBe('over');
  });

  it('always ends, and never after the deadline', () => {
    const error = fc.record({
      code: fc.constantFrom('RATE_LIMITED' as const, 'OVERLOADED' as const, 'AI_ERROR' as const),
      retryable: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.infiniteStream(error), fc.integer({ min: 1, max: 4 }), (errors, models) => {
        const chain = Array.from({ length: models }, (_, i) => `m${i}`);
        const open = new Map<string, number>();
        const openUntil = (model: string) => open.get(model) ?? 0;
        let tries = NO_TRIES;
        let now = 0;
        for (let count = 0; ; count++) {
          const model = modelFor(chain, tries, openUntil, now);
          const failed = errors.next().value as FailedAttempt;
          if (count % 5 === 4) open.set(model, now + 10_000);
          const next = nextAttempt(
            chain,
            tries,
            { model, error: failed },
            {
              ...when(),
              openUntil,
              now,
              deadline: 60_000,
              jitter: 0.5,
            },
          );
          tries = next.tries;
          expect(count).toBeLessThan(10 * models);
          if (next.kind === 'over') return;
          now += next.afterMs;
          expect(now).toBeLessThan(60_000);
        }
      }),
    );
  });
});
