import { expect, it } from '@jest/globals';
import { ExclusiveLock } from './exclusive-lock.js';

/** Lets everything that can go on do so. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

it('lets agents work side by side, and one alone', async () => {
  const solitude = new ExclusiveLock();
  const log: string[] = [];
  const enter = async (name: string, alone: boolean) => {
    const leave = await solitude.enter(alone);
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
