import { expect, it } from '@jest/globals';
import { ExclusiveLock } from './exclusive-lock.js';

/** Waits until all pending promises have settled. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

it('runs shared work concurrently and exclusive work alone', async () => {
  const lock = new ExclusiveLock();
  const log: string[] = [];
  const enter = async (name: string, alone: boolean) => {
    const leave = await lock.enter(alone);
    log.push(name);
    return leave;
  };
  const a = await enter('a', false);
  const b = await enter('b', false);
  const alone = enter('alone', true);
  const c = enter('c', false);
  await settle();
  expect(log).toEqual(['a', 'b']);
  a();
  a();
  await settle();
  expect(log).toEqual(['a', 'b']);
  b();
  await settle();
  expect(log).toEqual(['a', 'b', 'alone']);
  (await alone)();
  await c;
  expect(log).toEqual(['a', 'b', 'alone', 'c']);
});
