import { expect, test } from '@jest/globals';
import { KUBERNETES_NOW as NOW, objectOf } from '../../../test/support/kubernetes-objects.js';
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
  expect(found?.title).toBe('container c cannot be created');
  expect(found?.failureKind).toBe(kind);
});
