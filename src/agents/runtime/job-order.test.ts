import { expect, it } from '@jest/globals';
import { spec } from '../../../test/support/incidents/drafts.js';
import { LAST_ORDER } from '../../queues/job-ids.js';
import { jobOrder } from './job-order.js';

const [team] = spec.topology.teams;
const worker = team?.workers[0];
const topologyOf = (sizes: readonly number[]) => ({
  ...spec.topology,
  teams: sizes.map((size, t) => ({
    ...(team as NonNullable<typeof team>),
    workers: Array.from({ length: size }, (_, i) => ({
      ...(worker as NonNullable<typeof worker>),
      agentId: `w${t}-${i}`,
    })),
  })),
});
const topology = topologyOf([10, 10, 20]);

it.each([
  ['w0-0', undefined],
  ['w1-5', undefined],
  ['w1-6', 1],
  ['w2-11', 1],
  ['w2-12', 2],
  ['a supervisor', undefined],
])('puts %s behind the workers before it: %s', (agentId, order) => {
  expect(jobOrder({ topology }, agentId)).toBe(order);
});

it('counts from the number of the run on, up to the lowest priority', () => {
  expect(jobOrder({ topology, order: 7 }, 'w0-0')).toBe(7);
  expect(jobOrder({ topology, order: 7 }, 'w2-12')).toBe(9);
  expect(jobOrder({ topology, order: 7 }, 'a supervisor')).toBe(7);
  expect(jobOrder({ topology, order: LAST_ORDER }, 'w2-12')).toBe(LAST_ORDER);
});
