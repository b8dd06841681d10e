import { expect, test } from '@jest/globals';
import { MemoryBudget } from './memory-budget.js';

const { signal } = new AbortController();

test('lets work wait until its share is free, first come, first served', async () => {
  const budget = new MemoryBudget(10);
  const order: string[] = [];
  const first = await budget.reserve(6, signal);
  const large = budget.reserve(8, signal).then((free) => {
    order.push('large');
    return free;
  });
  const small = budget.reserve(1, signal).then((free) => {
    order.push('small');
    return free;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(order).toEqual([]);
  first();
  first();
  (await large)();
  (await small)();
  expect(order).toEqual(['large', 'small']);
});

test('gives all of it to work that wants more', async () => {
  const budget = new MemoryBudget(10);
  const free = await budget.reserve(100, signal);
  let entered = false;
  const waiting = budget.reserve(1, signal).then(() => (entered = true));
  await new Promise((resolve) => setImmediate(resolve));
  expect(entered).toBe(false);
  free();
  await waiting;
});

test('drops work that is cancelled while it waits', async () => {
  const budget = new MemoryBudget(10);
  const free = await budget.reserve(10, signal);
  const controller = new AbortController();
  const waiting = budget.reserve(5, controller.signal);
  const reason = new Error('cancelled');
  controller.abort(reason);
  await expect(waiting).rejects.toBe(reason);
  free();
  await budget.reserve(10, signal);
});
