import { expect, test } from '@jest/globals';
import { objectOf, titlesOf } from '../../../test/support/sources/kubernetes-objects.js';
import type { KubernetesObject } from '../telemetry/records.js';

const FAILED = { phase: 'Failed', reason: 'Evicted', message: 'The node was low on memory.' };
const OWNER = { ownerReferences: [{ kind: 'Job', name: 'import' }] };
const startedAt = (startTime: string, metadata: object = {}) =>
  objectOf('Pod', { metadata, status: { ...FAILED, startTime } });
const evictedAt = (lastTimestamp: string) =>
  objectOf('Event', {
    type: 'Warning',
    reason: 'Evicted',
    message: 'low on memory',
    lastTimestamp,
    involvedObject: { kind: 'Pod', namespace: 'shop', name: 'x' },
  });
const completed = objectOf(
  'Job',
  { status: { conditions: [{ type: 'Complete', status: 'True' }] } },
  'import',
);

test.each<[string, KubernetesObject[], string[]]>([
  ['lately', [startedAt('2026-11-22T12:50:00Z', OWNER)], ['warning: was evicted']],
  [
    'lately, of a pod that had run for days',
    [startedAt('2026-11-09T12:50:00Z', OWNER), evictedAt('2026-11-22T13:00:00Z')],
    ['warning: was evicted'],
  ],
  ['at an unknown time', [objectOf('Pod', { status: FAILED })], ['warning: was evicted']],
  ['days ago, and was replaced', [startedAt('2026-11-09T12:50:00Z', OWNER)], []],
  [
    'days ago, and was not replaced',
    [startedAt('2026-11-21T13:04:00Z')],
    ['info: was evicted 24 h ago and was not replaced'],
  ],
  [
    'lately, of a job that completed since',
    [startedAt('2026-11-22T12:50:00Z', OWNER), completed],
    [],
  ],
])('judges an eviction: %s', (_, objects, expected) => {
  expect(titlesOf(...objects)).toEqual(expected);
});

test.each([
  ['2026-11-22T12:50:00Z', 'critical: has failed'],
  ['2026-11-20T12:50:00Z', 'info: failed at 2026-11-20T12:50:00Z'],
])('judges a job that failed at %s', (lastTransitionTime, expected) => {
  const conditions = [{ type: 'Failed', status: 'True', lastTransitionTime }];
  expect(titlesOf(objectOf('Job', { status: { conditions } }))).toEqual([expected]);
});
