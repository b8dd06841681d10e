import { beforeEach, describe, expect, it } from '@jest/globals';
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

describe('a reply that comes late', () => {
  let monotonic = 0;
  /**
   * ms by which the clock of Redis is ahead of the monotonic one, and ms that its replies take to
   * be sent and to be taken up.
   */
  let ahead: number;
  let took: [there: number, back: number];
  const redis = storeAt(async () => {
    monotonic += took[0];
    const at = monotonic + ahead;
    monotonic += took[1];
    return [Math.floor(at / 1_000), (at % 1_000) * 1_000];
  });
  const clock = new StoreClock(
    redis,
    () => monotonic,
    () => 0,
  );
  const aheadNow = () => clock.now() - monotonic;
  beforeEach(async () => {
    [ahead, took] = [100_000, [1, 1]];
    await clock.measure();
    expect(aheadNow()).toBe(100_000);
    monotonic += 10_000;
  });

  it('does not set the clock back', async () => {
    took = [1, 400];
    await clock.measure();
    expect(aheadNow()).toBe(100_000);
  });

  it('sets it if the clock of Redis was set', async () => {
    [ahead, took] = [160_000, [100, 100]];
    await clock.measure();
    expect(aheadNow()).toBe(160_000);
  });

  it('sets it if the clocks have had the time to drift as far apart', async () => {
    monotonic += 60 * 60_000;
    [ahead, took] = [100_200, [100, 100]];
    await clock.measure();
    expect(aheadNow()).toBe(100_200);
  });
});
