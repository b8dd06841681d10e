import { expect, test } from '@jest/globals';
import { alert, line, sceneOf, step } from '../../test/support/scenes/scene.js';
import { rankRootCauses } from './rank-root-causes.js';

const page = alert('profile', 'Overload', 'profile is overloaded');
const overloaded = [
  step('profile', 'requests_per_second', [1_900, 16_000]),
  step('profile', 'process_cpu_cores', [3, 8]),
  step('profile', 'request_latency_p99_ms', [58, 3_900]),
  step('bff', 'request_latency_p99_ms', [137, 4_300]),
];
const first = (attempts: number, ...more: Parameters<typeof sceneOf>[1][]) =>
  rankRootCauses(
    sceneOf(
      'web > bff > profile',
      page,
      overloaded,
      step('bff', 'client_attempts_per_call', [1, attempts]),
      ...more,
    ),
    '',
  ).causes[0];

test('load at a node is explained by a caller that makes each call many times', () => {
  expect(first(13)).toMatchObject({ node: 'bff', kind: 'retry-storm' });
});

test('a few attempts more follow from the failure of what is called', () => {
  expect(first(2)).toMatchObject({ node: 'profile' });
});

test('a node with a failure of its own is not overloaded by its callers alone', () => {
  const full = line('profile', 'FATAL: could not write: No space left on device');
  expect(first(13, full)).toMatchObject({ node: 'profile' });
});
