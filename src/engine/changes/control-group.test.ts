import { expect, test } from '@jest/globals';
import type { Change } from '../../domain/telemetry/records.js';
import { doubtByControl } from './control-group.js';

const MINUTE = 60_000;
const deploy = (node: string, version: string, minute = 0): Change => ({
  kind: 'deploy',
  at: minute * MINUTE,
  node,
  version,
});
const factorOf = (other: Change, unhealthy = ['web-1'], recorded = ['web-1', 'web-2', 'api']) =>
  doubtByControl(deploy('web-1', 'v7'), {
    deploys: [deploy('web-1', 'v7'), other],
    unhealthy: new Map(unhealthy.map((id) => [id, 5 * MINUTE])),
    recorded: new Set(recorded),
    sorts: new Map([
      ['web-1', 'web'],
      ['web-2', 'web'],
      ['api', 'api'],
    ]),
    now: 30 * MINUTE,
  }).factor;

test('a version that runs at a healthy node of the same sort is less suspect', () => {
  expect(factorOf(deploy('web-2', 'v7'))).toBe(0.5);
});

test.each([
  ['another version', deploy('web-2', 'v6')],
  ['another sort of node', deploy('api', 'v7')],
  ['a rollout of a moment ago', deploy('web-2', 'v7', 25)],
])('%s is no control group', (_, other) => {
  expect(factorOf(other)).toBe(1);
});

test('an unhealthy node is no control group, nor one of which nothing was recorded', () => {
  expect(factorOf(deploy('web-2', 'v7'), ['web-1', 'web-2'])).toBe(1);
  expect(factorOf(deploy('web-2', 'v7'), ['web-1'], ['web-1'])).toBe(1);
});
