import { expect, it } from '@jest/globals';
import { unlessAborted } from './interrupt.js';

it('settles as the work does', async () => {
  const { signal } = new AbortController();
  expect(await unlessAborted(Promise.resolve(3), signal)).toBe(3);
  await expect(unlessAborted(Promise.reject(new Error('why')), signal)).rejects.toThrow('why');
});

it('rejects at once when the signal fires, or has fired', async () => {
  const controller = new AbortController();
  const never = new Promise(() => undefined);
  const waiting = unlessAborted(never, controller.signal);
  controller.abort(new Error('stop'));
  await expect(waiting).rejects.toThrow('stop');
  await expect(unlessAborted(never, controller.signal)).rejects.toThrow('stop');
});
