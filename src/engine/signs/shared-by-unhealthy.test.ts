import { expect, test } from '@jest/globals';
import { sharedByUnhealthy } from './shared-by-unhealthy.js';

const node = (id: string, ...dependsOn: string[]) => ({ id, name: id, dependsOn });
const NODES = [
  node('web-1', 'switch-a', 'db'),
  node('web-2', 'switch-a', 'db'),
  node('web-3', 'switch-b', 'db'),
  node('switch-a'),
  node('switch-b'),
  node('db'),
];
const shared = (unhealthy: string[], recorded = NODES.map(({ id }) => id)) =>
  sharedByUnhealthy(
    NODES,
    new Map(NODES.map(({ id, dependsOn }) => [id, new Set(dependsOn)])),
    new Map(unhealthy.map((id) => [id, 7])),
    new Set(recorded),
  ).map((sign) => [sign.node, sign.at]);

test('what all unhealthy nodes of a sort depend on, and no well one, is suspect', () => {
  expect(shared(['web-1', 'web-2'])).toEqual([['switch-a', 7]]);
});

test('nothing is where all are unhealthy, one alone is, or of the well ones nothing was recorded', () => {
  expect(shared(['web-1', 'web-2', 'web-3'])).toEqual([]);
  expect(shared(['web-1'])).toEqual([]);
  expect(shared(['web-1', 'web-2'], ['web-1', 'web-2'])).toEqual([]);
});
