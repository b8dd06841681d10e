import { expect, test } from '@jest/globals';
import { readWithin } from './read-within.js';

const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });

test('returns what was read', async () => {
  expect(await readWithin(60_000, () => Promise.resolve(7))).toBe(7);
});

test('ends a reading that takes too long', async () => {
  await expect(readWithin(1, untilAborted)).rejects.toMatchObject({
    failure: 'unreachable',
    message: 'not read within 1 ms',
  });
});

test('rejects with the reason of the outer signal', async () => {
  const stop = new AbortController();
  const reading = readWithin(60_000, untilAborted, stop.signal);
  stop.abort(new Error('enough'));
  await expect(reading).rejects.toThrow('enough');
});
