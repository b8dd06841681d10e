import { expect, it } from '@jest/globals';
import { Lane } from './lane.js';

const never = () => new Promise<never>(() => undefined);

it('does work one after the other', async () => {
  const lane = new Lane(5, 5);
  const order: string[] = [];
  const work = (name: string) => async () => {
    order.push(`${name} begins`);
    await Promise.resolve();
    order.push(`${name} ends`);
    return name;
  };
  const first = lane.run('a', work('a'));
  expect([await lane.run('b', work('b')), await first]).toEqual(['b', 'a']);
  expect(order).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
});

it('has room for others if one caller has taken its share', () => {
  const lane = new Lane(4, 2);
  const accepted = ['x', 'x', 'x', 'x', 'y', 'z', 'z'].map(
    (caller) => lane.run(caller, never) !== undefined,
  );
  expect(accepted).toEqual([true, true, false, false, true, true, true]);
});

it('refuses all if too much waits', async () => {
  const lane = new Lane(2, 2);
  const first = lane.run('a', never);
  // The first runs, and does not wait.
  await Promise.resolve();
  expect([first, lane.run('b', never), lane.run('c', never)]).not.toContain(undefined);
  expect(lane.run('d', never)).toBeUndefined();
});

it('gives the share back, also after work that failed', async () => {
  const lane = new Lane(2, 1);
  for (let i = 0; i < 3; i++)
    await expect(lane.run('a', () => Promise.reject(new Error('why')))).rejects.toThrow('why');
  expect(await lane.run('a', async () => 7)).toBe(7);
});
