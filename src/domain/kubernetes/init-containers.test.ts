import { expect, test } from '@jest/globals';
import { KUBERNETES_NOW, objectOf } from '../../../test/support/sources/kubernetes-objects.js';
import { analyzeKubernetes } from './analyze.js';

const waiting = (startedAt: string, init: object = {}) =>
  objectOf('Pod', {
    spec: { initContainers: [{ name: 'wait', ...init }] },
    status: {
      phase: 'Pending',
      initContainerStatuses: [{ name: 'wait', state: { running: { startedAt } } }],
      containerStatuses: [{ name: 'c', state: { waiting: { reason: 'PodInitializing' } } }],
    },
  });
const LONG_AGO = '2026-11-22T12:29:00Z';
const UNTIL = {
  command: ['sh', '-c', 'until nslookup index.shop.svc.cluster.local; do sleep 3; done'],
};
const found = (...objects: Parameters<typeof analyzeKubernetes>[0]) =>
  analyzeKubernetes(objects, KUBERNETES_NOW, new Set(['Pod', 'Service']))
    .filter(({ kind }) => kind === 'Pod')
    .map(({ title, detail, failureKind }) => ({ title, detail, failureKind }));

test('says what an init container waits for, and that no such service exists', () => {
  expect(found(waiting(LONG_AGO, UNTIL))).toEqual([
    {
      title: 'init container wait has been waiting for index.shop.svc for 35 min',
      detail: 'No such service exists: index.shop.svc.',
      failureKind: 'wrong-address',
    },
  ]);
});

test('says no more than how long it waits for a service that exists', () => {
  expect(found(waiting(LONG_AGO, UNTIL), objectOf('Service', {}, 'index'))).toEqual([
    {
      title: 'init container wait has been waiting for index.shop.svc for 35 min',
      detail: '',
      failureKind: undefined,
    },
  ]);
});

test('says how long an init container has been running that names no service', () => {
  expect(found(waiting(LONG_AGO, { command: ['migrate', 'up'] }))).toMatchObject([
    { title: 'init container wait has been running for 35 min' },
  ]);
});

test.each([
  ['it has just begun', waiting('2026-11-22T12:58:00Z', UNTIL)],
  ['it is a sidecar', waiting(LONG_AGO, { ...UNTIL, restartPolicy: 'Always' })],
])('finds nothing wrong if %s', (_, pod) => {
  expect(found(pod)).toEqual([]);
});
