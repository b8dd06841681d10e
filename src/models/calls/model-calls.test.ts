import { expect, it } from '@jest/globals';
import { ModelCalls } from './model-calls.js';
import { ModelError } from './model-error.js';
import type { ModelLimiter } from './model-limiter.js';

const NOW = Date.UTC(2026, 10, 22, 12);
const calls = new ModelCalls({ maxHoldMs: 300_000 } as ModelLimiter, { now: () => NOW });
const asksFor = (retryAfterMs: number) =>
  new ModelError('RATE_LIMITED', 'The provider is busy.', { retryable: true, retryAfterMs });

it('says when a model is called again whose provider asks for a longer pause than it gets', () => {
  const error = calls.withRetryTime(asksFor(3_600_000));
  expect(error.message).toBe(
    'The provider is busy. One call tests at 2026-11-22 12:05:00 UTC whether it takes calls again.',
  );
  expect(error).toMatchObject({ code: 'RATE_LIMITED', retryable: true, retryAfterMs: 3_600_000 });
  expect(error.retryAt).toBe(NOW + 300_000);
});

it('says nothing more of a pause that is obeyed', () => {
  const error = calls.withRetryTime(asksFor(300_000));
  expect(error).toMatchObject({ message: 'The provider is busy.', retryAt: NOW + 300_000 });
  const short = asksFor(59_999);
  expect(calls.withRetryTime(short)).toBe(short);
});
