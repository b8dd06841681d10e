import { expect, it } from '@jest/globals';
import { Deadline } from './deadline.js';

const never = new AbortController().signal;

it('is over at once if no time is left', () => {
  expect(new Deadline(-5, never).aborted).toBe(true);
  expect(new Deadline(60_000, never).aborted).toBe(false);
});

it('ends calls when the time is up, and says so', async () => {
  const deadline = new Deadline(1, never);
  const { ends } = deadline;
  await new Promise((resolve) => ends.addEventListener('abort', resolve));
  expect([ends.aborted, deadline.aborted, deadline.ends === ends]).toEqual([true, true, true]);
});

it('ends calls when the agent stops, which is no deadline', () => {
  const stop = new AbortController();
  const deadline = new Deadline(60_000, stop.signal);
  const { ends } = deadline;
  stop.abort('lost');
  expect([ends.aborted, ends.reason, deadline.aborted]).toEqual([true, 'lost', false]);
});

it('gives timers the time that is left, and never less', () => {
  expect(new Deadline(60_000, never).leftMs).toBeGreaterThan(59_000);
  expect(new Deadline(-5, never).leftMs).toBe(1);
});
