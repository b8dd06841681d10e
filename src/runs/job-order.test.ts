import { expect, it } from '@jest/globals';
import { topologyOfSizes } from '../../test/support/incidents/topology-of-sizes.js';
import { LAST_ORDER } from '../queues/job-ids.js';
import { jobOrder, numbersOf } from './job-order.js';

const topology = topologyOfSizes([10, 10, 20]);

it.each([
  ['w0-0', undefined],
  ['w0-3', undefined],
  ['w0-4', 1],
  ['w1-1', 2],
  ['w2-19', 9],
  ['a supervisor', undefined],
])('puts %s behind the workers before it: %s', (agentId, order) => {
  expect(jobOrder({ topology }, agentId)).toBe(order);
});

it('counts from the number of the run on, up to the lowest priority', () => {
  expect(jobOrder({ topology, order: 7 }, 'w0-0')).toBe(7);
  expect(jobOrder({ topology, order: 7 }, 'w2-12')).toBe(15);
  expect(jobOrder({ topology, order: 7 }, 'a supervisor')).toBe(7);
  expect(jobOrder({ topology, order: LAST_ORDER }, 'w2-12')).toBe(LAST_ORDER);
});

it.each([
  [[0], 1],
  [[4], 1],
  [[3, 2], 2],
  [[16], 4],
  [[10, 10, 20], 4],
])('lets a run with teams of %j workers take %d numbers', (sizes, numbers) => {
  const run = { topology: topologyOfSizes(sizes) };
  expect(numbersOf({ ...run, kind: 'diagnosis' })).toBe(numbers);
  expect(numbersOf({ ...run, kind: 'chat' })).toBe(1);
});
