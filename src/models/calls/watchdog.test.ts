import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { describe as described } from './classify-error.js';
import { boundsOf } from './answer-bounds.js';
import { Watchdog } from './watchdog.js';

const model = described({ name: 'm' });
const never = new Promise<never>(() => undefined);

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const watch = (signal = new AbortController().signal) =>
  new Watchdog(1_000, 200, signal, boundsOf(undefined));
/** What a promise is rejected with. */
const reasonOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
const ABORT = expect.objectContaining({ name: 'AbortError' }) as unknown;

it('ends a call that does not begin', async () => {
  const watchdog = watch();
  const reason = reasonOf(watchdog.guard(() => never));
  jest.advanceTimersByTime(999);
  expect(watchdog.signal.aborted).toBe(false);
  jest.advanceTimersByTime(1);
  expect(await reason).toEqual(ABORT);
  expect(watchdog.bite(model, false)).toMatchObject({
    code: 'AI_ERROR',
    retryable: true,
    message: 'The model "m" did not begin to answer within 1 s.',
  });
});

it('ends a call that goes silent after it began', async () => {
  const watchdog = watch();
  await watchdog.guard(() => Promise.resolve('begun'));
  const reason = reasonOf(watchdog.guard(() => never));
  for (let i = 0; i < 5; i++) {
    jest.advanceTimersByTime(199);
    watchdog.onBytes();
  }
  expect(watchdog.signal.aborted).toBe(false);
  jest.advanceTimersByTime(200);
  expect(await reason).toEqual(ABORT);
  expect(watchdog.bite(model, true)?.message).toBe(
    'The model "m" sent nothing for 0.2 s, in the middle of its answer.',
  );
});

it('counts no time while the service does not wait for the provider', async () => {
  const watchdog = watch();
  await watchdog.guard(() => Promise.resolve());
  jest.advanceTimersByTime(60_000);
  expect(await watchdog.guard(() => Promise.resolve('more'))).toBe('more');
  expect(watchdog.bite(model, true)).toBeUndefined();
});

it('passes on an abort from outside, which is no fault of the provider', async () => {
  const outer = new AbortController();
  const watchdog = watch(outer.signal);
  const reason = reasonOf(watchdog.guard(() => never));
  outer.abort(new Error('cancelled'));
  expect(await reason).toEqual(ABORT);
  expect(watchdog.bite(model, false)).toBeUndefined();
});

it('passes on the error of the provider', async () => {
  const error = new Error('refused');
  expect(await reasonOf(watch().guard(() => Promise.reject(error)))).toBe(error);
});

it('starts nothing after it was stopped', async () => {
  const watchdog = watch();
  watchdog.stop();
  let started = false;
  const reason = reasonOf(
    watchdog.guard(() => {
      started = true;
      return never;
    }),
  );
  expect([await reason, started]).toEqual([ABORT, false]);
});
