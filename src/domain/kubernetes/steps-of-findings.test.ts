import { expect, test } from '@jest/globals';
import {
  KUBERNETES_NOW as NOW,
  objectOf,
} from '../../../test/support/sources/kubernetes-objects.js';
import type { KubernetesObject } from '../telemetry/records.js';
import { analyzeKubernetes } from './analyze.js';

const LONG_AGO = new Date(NOW - 3_600_000).toISOString();
const waiting = (reason: string, message = '', metadata: object = {}) =>
  objectOf('Pod', {
    metadata,
    status: {
      phase: 'Pending',
      containerStatuses: [{ name: 'c', state: { waiting: { reason, message } } }],
    },
  });
const refused = (message: string) =>
  objectOf('Deployment', {
    spec: { replicas: 1 },
    status: {
      readyReplicas: 0,
      conditions: [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message }],
    },
  });
const storage = (storageClassName: string) => ({ spec: { storageClassName } });
const aboutClaim = objectOf(
  'Event',
  {
    type: 'Warning',
    reason: 'ProvisioningFailed',
    message: 'no capacity',
    involvedObject: { kind: 'PersistentVolumeClaim', namespace: 'shop', name: 'x' },
  },
  'e',
);
const fast = { ...objectOf('StorageClass', {}, 'fast'), namespace: '' };

test.each<[string | undefined, string, KubernetesObject[]]>([
  [
    'unbound-claim',
    'a pod whose claim has no volume',
    [
      objectOf('Pod', {
        status: {
          phase: 'Pending',
          conditions: [
            {
              type: 'PodScheduled',
              status: 'False',
              reason: 'Unschedulable',
              message: 'pod has unbound immediate PersistentVolumeClaims',
            },
          ],
        },
      }),
    ],
  ],
  [
    'missing-config',
    'a container without its secret',
    [waiting('CreateContainerConfigError', 'secret "s" not found')],
  ],
  [
    'waiting-container',
    'a container that is not created',
    [waiting('ContainerCreating', '', { creationTimestamp: LONG_AGO })],
  ],
  [
    'no-storage-class',
    'a claim of a class that does not exist',
    [objectOf('PersistentVolumeClaim', { ...storage('slow'), status: { phase: 'Pending' } }), fast],
  ],
  [
    'no-storage-class',
    'claims of a stateful set of such a class',
    [
      objectOf('StatefulSet', { spec: { replicas: 0, volumeClaimTemplates: [storage('slow')] } }),
      fast,
    ],
  ],
  [
    'unbound-claim',
    'a claim that gets no volume',
    [
      objectOf('PersistentVolumeClaim', { ...storage('fast'), status: { phase: 'Pending' } }),
      aboutClaim,
      fast,
    ],
  ],
  ['webhook', 'a webhook that fails', [refused('failed calling webhook "g.example.io": refused')]],
  ['quota', 'a quota that is used up', [refused('pods "x-1" is forbidden: exceeded quota: team')]],
  [
    'no-pods',
    'a selector that matches no pod',
    [
      objectOf('Service', { spec: { selector: { app: 'apy' } } }),
      objectOf('Pod', { metadata: { labels: { app: 'api' } }, status: { phase: 'Succeeded' } }),
    ],
  ],
  [
    'unready-pods',
    'a deployment without a ready pod',
    [objectOf('Deployment', { spec: { replicas: 1 }, status: { readyReplicas: 0 } })],
  ],
  [
    'unready-pods',
    'a daemon set that is not ready on a machine',
    [objectOf('DaemonSet', { status: { desiredNumberScheduled: 2, numberReady: 1 } })],
  ],
  [undefined, 'a crash', [waiting('CrashLoopBackOff')]],
])('names the steps %s for %s', (steps, _, objects) => {
  expect(analyzeKubernetes(objects, NOW).map((found) => found.steps)).toEqual([steps]);
});
