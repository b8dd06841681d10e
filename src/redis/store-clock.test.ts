import { expect, it } from '@jest/globals';
import { StoreClock } from './store-clock.js';

type Store = ConstructorParameters<typeof StoreClock>[0];

/** A Redis whose clock and replies the test controls. */
function storeAt(time: () => Promise<[number, number]>): Store {
  return { time, on: () => undefined, off: () => undefined } as unknown as Store;
}

it('follows the clock of Redis and ignores the clock of this machine', async () => {
  let monotonic = 500;
  let wall = 7_200_000;
  const store = storeAt(async () => {
    monotonic += 20;
    return [1_000, 250_000];
  });
  const clock = new StoreClock(
    store,
    () => monotonic,
    () => wall,
  );
  expect(clock.now()).toBe(7_200_000);
  await clock.measure();
  // Half of the round trip of 20 ms has passed since the reply.
  expect(clock.now()).toBe(1_000_260);
  monotonic += 5_000;
  wall += 3_600_000;
  expect(clock.now()).toBe(1_005_260);
});

it('keeps the last offset while Redis does not reply', async () => {
  let isAway = false;
  const clock = new StoreClock(
    storeAt(async () => {
      if (isAway) throw new Error('Connection is closed');
      return [50, 0];
    }),
    () => 0,
    () => 9,
  );
  await clock.measure();
  isAway = true;
  await clock.measure();
  expect(clock.now()).toBe(50_000);
});
