import { expect, test } from '@jest/globals';
import {
  KUBERNETES_NOW as NOW,
  objectOf,
} from '../../../test/support/sources/kubernetes-objects.js';
import type { FailureKind } from '../diagnosis/failure-kind.js';
import type { KubernetesObject } from '../telemetry/records.js';
import { analyzeKubernetes } from './analyze.js';

const podOf = (waiting: object, more: object = {}) =>
  objectOf('Pod', {
    status: {
      phase: 'Pending',
      containerStatuses: [{ name: 'c', state: { waiting }, ...more }],
    },
  });
const stuck = (reason: string, message = '', more = {}) => podOf({ reason, message }, more);
const unscheduled = (message: string) =>
  objectOf('Pod', {
    status: {
      phase: 'Pending',
      conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }],
    },
  });
const ended = (reason: string) => ({ lastState: { terminated: { reason, exitCode: 137 } } });

test.each<[string, FailureKind | undefined, KubernetesObject]>([
  ['a pull that is held back', 'image-pull', stuck('ImagePullBackOff', 'Back-off pulling')],
  ['a pull that failed', 'image-pull', stuck('ErrImagePull', '401 Unauthorized')],
  ['a command that is missing', 'bad-command', stuck('RunContainerError', 'exec: not found')],
  [
    'a mount that the runtime refused',
    'volume',
    stuck('RunContainerError', 'OCI runtime create failed: error mounting "/a" to rootfs'),
  ],
  ['a variable without its secret', 'config', stuck('CreateContainerConfigError', 'no secret')],
  ['a container that cannot be made', undefined, stuck('CreateContainerError')],
  ['a crash', 'crash-loop', stuck('CrashLoopBackOff', '', ended('Error'))],
  ['a crash for memory', 'out-of-memory', stuck('CrashLoopBackOff', '', ended('OOMKilled'))],
  ['a crash at the start', 'bad-command', stuck('CrashLoopBackOff', '', ended('StartError'))],
  ['a machine too few', 'unschedulable', unscheduled('0/3 nodes: 3 Insufficient memory')],
  ['an unbound claim', 'volume', unscheduled('pod has unbound immediate PersistentVolumeClaims')],
  [
    'a claim without volume',
    'volume',
    objectOf('PersistentVolumeClaim', { status: { phase: 'Lost' } }),
  ],
])('names the kind of failure that an object shows: %s', (_, kind, object) => {
  expect(analyzeKubernetes([object], NOW)).toMatchObject([{ kind: object.kind }]);
  expect(analyzeKubernetes([object], NOW)[0]?.failureKind).toBe(kind);
});

test.each<[string, string, FailureKind | undefined]>([
  ['FailedMount', 'MountVolume.SetUp failed for volume "data": exit status 32', 'volume'],
  ['FailedAttachVolume', 'Multi-Attach error for volume "data"', 'volume'],
  ['FailedMount', 'MountVolume.SetUp failed for volume "c": configmap "api" not found', 'config'],
  ['FailedCreatePodSandBox', 'failed to set up the network', undefined],
])('names the kind of failure that a warning shows: %s %s', (reason, message, kind) => {
  const involvedObject = { kind: 'Pod', namespace: 'shop', name: 'x' };
  const event = objectOf('Event', { type: 'Warning', reason, message, involvedObject }, 'e');
  const [found] = analyzeKubernetes([stuck('ContainerCreating'), event], NOW);
  expect(found?.title).toMatch(/^container c cannot be created/);
  expect(found?.failureKind).toBe(kind);
});

test.each<[string, string, string]>([
  [
    'CreateContainerConfigError',
    'secret "orders-db" not found',
    'its secret orders-db does not exist',
  ],
  ['CreateContainerConfigError', 'configmap "api" not found', 'its config map api does not exist'],
  [
    'CreateContainerConfigError',
    "couldn't find key password in Secret shop/orders-db",
    'its secret orders-db has no key password',
  ],
])('names what a container needs and does not have: %s %s', (reason, message, missing) => {
  const [found] = analyzeKubernetes([stuck(reason, message)], NOW);
  expect(found).toMatchObject({
    title: `container c is in ${reason}: ${missing}`,
    failureKind: 'config',
  });
});

test('names the config map that a volume cannot be mounted for', () => {
  const message = 'MountVolume.SetUp failed for volume "c": configmap "api" not found';
  const involvedObject = { kind: 'Pod', namespace: 'shop', name: 'x' };
  const event = objectOf(
    'Event',
    { type: 'Warning', reason: 'FailedMount', message, involvedObject },
    'e',
  );
  const [found] = analyzeKubernetes([stuck('ContainerCreating'), event], NOW);
  expect(found?.title).toBe('container c cannot be created: its config map api does not exist');
});

test('names the storage class that a claim asks for and the cluster does not have', () => {
  const claim = objectOf('PersistentVolumeClaim', {
    spec: { storageClassName: 'nope' },
    status: { phase: 'Pending' },
  });
  const [found] = analyzeKubernetes(
    [claim],
    NOW,
    new Set(['PersistentVolumeClaim', 'StorageClass']),
  );
  expect(found).toMatchObject({
    title: 'has no volume: its storage class nope does not exist',
    failureKind: 'volume',
  });
});

test.each([
  [[{ secret: { secretName: 'a' } }], 'config'],
  [[{ persistentVolumeClaim: { claimName: 'a' } }], 'volume'],
  [[], undefined],
])('takes a container that waits long for one that waits for its volumes', (volumes, kind) => {
  const pod = objectOf('Pod', {
    metadata: { creationTimestamp: new Date(NOW - 3 * 3_600_000).toISOString() },
    spec: { volumes },
    status: {
      phase: 'Pending',
      containerStatuses: [{ name: 'c', state: { waiting: { reason: 'ContainerCreating' } } }],
    },
  });
  const [found] = analyzeKubernetes([pod], NOW);
  expect(found?.title).toBe('container c has been waiting to be created for 3 h');
  expect(found?.failureKind).toBe(kind);
});
