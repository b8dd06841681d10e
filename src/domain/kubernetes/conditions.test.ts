import { expect, test } from '@jest/globals';
import { objectOf, titlesOf } from '../../../test/support/sources/kubernetes-objects.js';
import type { KubernetesObject } from '../telemetry/records.js';

/** What the recorded namespace does not show, of one object. */
test.each<[string, KubernetesObject, string[]]>([
  [
    'a pod that was restarted lately',
    objectOf('Pod', {
      status: {
        phase: 'Running',
        containerStatuses: [
          {
            name: 'c',
            state: { running: {} },
            lastState: {
              terminated: { exitCode: 139, reason: 'Error', finishedAt: '2026-11-22T12:50:00Z' },
            },
          },
        ],
      },
    }),
    [
      'warning: container c was restarted within the last hour: Error (exit code 139, segmentation fault)',
    ],
  ],
  [
    'a pod that does not end',
    objectOf('Pod', {
      metadata: { name: 'x', deletionTimestamp: '2026-11-22T12:54:00Z' },
      status: { phase: 'Running' },
    }),
    ['warning: should have ended 10 min ago'],
  ],
  [
    'a replica set over its quota',
    objectOf('ReplicaSet', {
      status: {
        conditions: [{ type: 'ReplicaFailure', status: 'True', message: 'exceeded quota' }],
      },
    }),
    ['critical: cannot create its pods: a quota is used up'],
  ],
  [
    'a deployment that a webhook holds up',
    objectOf('Deployment', {
      spec: { replicas: 3 },
      status: {
        readyReplicas: 3,
        conditions: [
          {
            type: 'ReplicaFailure',
            status: 'True',
            reason: 'FailedCreate',
            message: 'failed calling webhook "guard.example.io": failed to call webhook: EOF',
          },
        ],
      },
    }),
    ['warning: has 3 of 3 replicas ready: the webhook guard.example.io fails'],
  ],
  [
    'a deployment over its quota',
    objectOf('Deployment', {
      status: {
        conditions: [
          {
            type: 'ReplicaFailure',
            status: 'True',
            reason: 'FailedCreate',
            message: 'pods "x-1" is forbidden: exceeded quota: team, requested: pods=1',
          },
        ],
      },
    }),
    ['critical: has 0 of 1 replicas ready: the quota team is used up'],
  ],
  [
    'a daemon set',
    objectOf('DaemonSet', { status: { desiredNumberScheduled: 3, numberReady: 1 } }),
    ['warning: ready on 1 of 3 machines'],
  ],
  [
    'a cron job with a bad schedule',
    objectOf('CronJob', { spec: { schedule: 'every day' } }),
    ['critical: its schedule is no cron expression'],
  ],
  ['a good schedule', objectOf('CronJob', { spec: { schedule: 'TZ=UTC */5 * * * *' } }), []],
  [
    'a quota',
    objectOf('ResourceQuota', { status: { hard: { pods: '10' }, used: { pods: '10' } } }),
    ['warning: is used up: pods 10'],
  ],
  [
    'a lost claim',
    objectOf('PersistentVolumeClaim', { status: { phase: 'Lost' } }),
    ['critical: its volume is lost'],
  ],
  [
    'a cordoned machine',
    objectOf('Node', {
      spec: { unschedulable: true },
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    }),
    ['info: takes no new pods (cordoned)'],
  ],
  [
    'a machine that evicts pods',
    objectOf('Node', {
      spec: {
        taints: [
          { key: 'maintenance', effect: 'NoExecute' },
          { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' },
          { key: 'gpu', effect: 'NoSchedule' },
        ],
      },
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    }),
    ['info: its taint maintenance evicts pods (NoExecute)'],
  ],
  [
    'a machine with conditions of other programs',
    objectOf('Node', {
      status: {
        conditions: [
          { type: 'Ready', status: 'True' },
          { type: 'EtcdIsVoter', status: 'True' },
          { type: 'KernelDeadlock', status: 'False' },
          { type: 'NetworkUnavailable', status: 'Unknown' },
        ],
      },
    }),
    ['warning: NetworkUnavailable is Unknown'],
  ],
  [
    'a pod whose readiness gate is not met',
    objectOf('Pod', {
      status: {
        phase: 'Running',
        conditions: [{ type: 'Ready', status: 'False', reason: 'ReadinessGatesNotReady' }],
        containerStatuses: [{ name: 'c', ready: true, state: { running: {} } }],
      },
    }),
    ['critical: runs, but is not ready'],
  ],
  [
    'a deployment of which a part is ready',
    objectOf('Deployment', { spec: { replicas: 3 }, status: { readyReplicas: 2 } }),
    ['warning: has 2 of 3 replicas ready'],
  ],
  [
    'a deployment that was changed just now',
    objectOf('Deployment', {
      metadata: { name: 'x', namespace: 'shop', generation: 2 },
      spec: { replicas: 1 },
      status: { readyReplicas: 1, observedGeneration: 1 },
    }),
    ['warning: its last change has not been acted on yet'],
  ],
  [
    'a deployment that is paused',
    objectOf('Deployment', { spec: { paused: true }, status: { readyReplicas: 1 } }),
    ['info: is paused'],
  ],
  [
    'a daemon set on machines where it should not be',
    objectOf('DaemonSet', {
      status: { desiredNumberScheduled: 1, numberReady: 1, numberMisscheduled: 2 },
    }),
    ['warning: runs on 2 machines where it should not'],
  ],
  [
    'a job that has failed so far',
    objectOf('Job', { status: { failed: 2 } }),
    ['warning: has failed 2 times so far'],
  ],
  [
    'a job that succeeded at last',
    objectOf('Job', {
      status: { failed: 2, conditions: [{ type: 'SuccessCriteriaMet', status: 'True' }] },
    }),
    [],
  ],
  ['a suspended job', objectOf('Job', { spec: { suspend: true } }), ['info: is suspended']],
  [
    'a cron job with a deadline that is always over',
    objectOf('CronJob', { spec: { schedule: '@hourly', startingDeadlineSeconds: -1 } }),
    ['warning: its starting deadline is negative'],
  ],
  [
    'a large config map',
    objectOf('ConfigMap', { data: { a: 'x'.repeat(2 ** 20 + 1) } }),
    ['warning: is larger than 1 MiB, which the API refuses'],
  ],
  [
    'an autoscaler at its end',
    objectOf('HorizontalPodAutoscaler', {
      spec: { maxReplicas: 3 },
      status: {
        currentReplicas: 3,
        conditions: [{ type: 'ScalingLimited', status: 'True', reason: 'TooManyReplicas' }],
      },
    }),
    ['warning: wants more than its 3 replicas'],
  ],
  [
    'an autoscaler that keeps its least',
    objectOf('HorizontalPodAutoscaler', {
      status: {
        conditions: [{ type: 'ScalingLimited', status: 'True', reason: 'TooFewReplicas' }],
      },
    }),
    [],
  ],
  [
    'a volume that lost its claim',
    objectOf('PersistentVolume', { status: { phase: 'Released' } }),
    ['info: has lost its claim, and is kept until it is removed'],
  ],
  [
    'a volume that cannot be reclaimed',
    objectOf('PersistentVolume', { status: { phase: 'Failed', message: 'no deleter' } }),
    ['warning: could not be reclaimed'],
  ],
  [
    'a gateway class that waits for its controller',
    objectOf('GatewayClass', { status: { conditions: [{ type: 'Accepted', status: 'Unknown' }] } }),
    ['warning: no controller has accepted it yet'],
  ],
  [
    'a gateway that has no address',
    objectOf('Gateway', {
      spec: { gatewayClassName: 'envoy' },
      status: {
        conditions: [
          { type: 'Accepted', status: 'True' },
          { type: 'Programmed', status: 'False', reason: 'AddressNotAssigned' },
        ],
      },
    }),
    ['critical: is not programmed'],
  ],
  [
    'a gateway with a listener that lacks its certificate, and one in conflict',
    objectOf('Gateway', {
      spec: { gatewayClassName: 'envoy' },
      status: {
        conditions: [{ type: 'Accepted', status: 'True', reason: 'ListenersNotValid' }],
        listeners: [
          { name: 'http', conditions: [{ type: 'Conflicted', status: 'False' }] },
          { name: 'https', conditions: [{ type: 'ResolvedRefs', status: 'False' }] },
          { name: 'grpc', conditions: [{ type: 'Accepted', status: 'False' }] },
        ],
      },
    }),
    [
      'critical: has references of its listener https that cannot be resolved',
      'critical: its listener grpc is not accepted',
    ],
  ],
  [
    'a route that a gateway refuses',
    objectOf('HTTPRoute', {
      status: {
        parents: [
          { parentRef: { name: 'edge' }, conditions: [{ type: 'Accepted', status: 'False' }] },
          { parentRef: { name: 'mesh' }, conditions: [{ type: 'ResolvedRefs', status: 'False' }] },
          { parentRef: { name: 'well' }, conditions: [{ type: 'Accepted', status: 'True' }] },
        ],
      },
    }),
    [
      'critical: is not accepted by the gateway edge',
      'critical: has references that the gateway mesh cannot resolve',
    ],
  ],
])('judges %s', (_, object, expected) => {
  expect(titlesOf(object)).toEqual(expected);
});
