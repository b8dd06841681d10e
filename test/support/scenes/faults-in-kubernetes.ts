import { failingCallers, fault, page, type KnownFault } from './known-fault.js';
import { change, event, line, pod } from './scene.js';

/** Faults that show in objects and events of Kubernetes, beside metrics and logs of the callers. */
export const FAULTS_IN_KUBERNETES: readonly KnownFault[] = [
  fault('an image that does not exist', 'image-pull', 'payments', page, failingCallers, [
    pod('payments', {
      state: {
        waiting: {
          reason: 'ImagePullBackOff',
          message: 'Back-off pulling image "shop/payments:9.9"',
        },
      },
    }),
    event('payments', 'Failed', 'Failed to pull image "shop/payments:9.9": manifest unknown'),
    line(
      'orders',
      'level=error msg="dial tcp 10.0.0.9:8080: connect: connection refused" peer=payments',
    ),
  ]),
  fault('a command that does not exist', 'bad-command', 'payments', page, failingCallers, [
    pod('payments', {
      restartCount: 4,
      state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off' } },
      lastState: {
        terminated: {
          reason: 'StartError',
          exitCode: 128,
          message: 'exec: "/app/srv": stat /app/srv: no such file or directory: unknown',
        },
      },
    }),
  ]),
  fault('a probe that waits too short', 'crash-loop', 'payments', page, failingCallers, [
    ...change(
      'payments',
      'deploy/payments.yaml',
      ' livenessProbe:\n-  timeoutSeconds: 4\n-  failureThreshold: 5\n+  timeoutSeconds: 1\n+  failureThreshold: 1',
    ),
    event('payments', 'Unhealthy', 'Liveness probe failed: context deadline exceeded'),
  ]),
  fault('a secret that does not exist', 'config', 'payments', page, failingCallers, [
    pod('payments', {
      state: {
        waiting: {
          reason: 'CreateContainerConfigError',
          message: 'secret "payments-key" not found',
        },
      },
    }),
  ]),
  fault('no node with enough room', 'unschedulable', 'payments', page, failingCallers, [
    event(
      'payments',
      'FailedScheduling',
      '0/3 nodes are available: 3 Insufficient memory. preemption: 0/3 nodes are available',
    ),
  ]),
  fault('a quota that is used up', 'capacity', 'payments', page, failingCallers, [
    event(
      'payments',
      'FailedCreate',
      'Error creating: pods "payments-6b8" is forbidden: exceeded quota: team, requested: pods=1, used: pods=20, limited: pods=20',
    ),
  ]),
  fault('a volume that can not be mounted', 'volume', 'orders-db', page, failingCallers, [
    event(
      'orders-db',
      'FailedAttachVolume',
      'Multi-Attach error for volume "pvc-1" Volume is already exclusively attached to one node',
    ),
    line(
      'orders',
      'level=error msg="dial tcp 10.0.0.3:5432: connect: connection refused" peer=orders-db',
    ),
  ]),
  fault('a pod that the kernel ended', 'out-of-memory', 'payments', page, failingCallers, [
    pod('payments', {
      restartCount: 5,
      state: { running: {} },
      lastState: { terminated: { reason: 'OOMKilled', exitCode: 137 } },
    }),
    line('orders', 'level=error msg="read tcp: connection reset by peer" peer=payments'),
  ]),
  fault(
    'a container that ends by itself again and again',
    'crash-loop',
    'payments',
    page,
    failingCallers,
    [
      pod('payments', {
        restartCount: 9,
        state: {
          waiting: {
            reason: 'CrashLoopBackOff',
            message: 'back-off 5m0s restarting failed container',
          },
        },
        lastState: { terminated: { reason: 'Error', exitCode: 1 } },
      }),
    ],
  ),
  fault('an eviction for a full disk', 'disk-full', 'payments', page, failingCallers, [
    event(
      'payments',
      'Evicted',
      'The node was low on resource: ephemeral-storage. Container payments was using 9Gi',
    ),
  ]),
  fault('a machine that is gone', 'infrastructure', 'payments', page, failingCallers, [
    event('payments', 'NodeNotReady', 'Node is not ready'),
    line('orders', 'level=error msg="dial tcp 10.0.0.9:8080: i/o timeout" peer=payments'),
  ]),
];
