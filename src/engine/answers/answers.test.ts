import { expect, test } from '@jest/globals';
import { answerOf, firstOf, found } from '../../../test/support/sources/recorded-answers.js';

const describeOf = (kind: string, name: string, output: string, namespace = 'shop') => ({
  tool: 'kubectl_describe',
  args: { kind, name, namespace },
  status: 'success',
  output,
});
const listOf = (kind: string, output: string, namespace = 'shop') => ({
  tool: 'kubectl_get_by_kind_in_namespace',
  args: { kind, namespace },
  status: 'success',
  output,
});

const POD = `Name:             cart-6c9f7d-x2x2x
Namespace:        shop
Start Time:       Mon, 02 Mar 2026 10:00:00 +0000
Labels:           app=cart
                  tier=front
Status:           Running
Controlled By:    ReplicaSet/cart-6c9f7d
Containers:
  cart:
    Image:          registry.example/cart:2
    Port:           8080/TCP
    State:          Running
      Started:      Mon, 02 Mar 2026 10:00:05 +0000
    Ready:          True
    Restart Count:  0
    Liveness:       http-get http://:8080/live delay=0s timeout=1s period=10s #success=1 #failure=3
Conditions:
  Type              Status
  Ready             True
  PodScheduled      True
Events:
  Type     Reason     Age                From     Message
  ----     ------     ----               ----     -------
  Normal   Started    50m                kubelet  Started container cart
  Warning  Unhealthy  50m (x3 over 50m)  kubelet  Readiness probe failed: connection refused
`;

test('a pod that got over a failed probe shows nothing', () => {
  expect(found('is cart well?', describeOf('pod', 'cart-6c9f7d-x2x2x', POD))).toEqual([]);
});

test('a service whose selector matches no pod is told with the labels that pods have', () => {
  const service = `Name:         cart
Namespace:    shop
Selector:     app=cart,tier=back
Type:         ClusterIP
Endpoints:    <none>
Events:       <none>
`;
  const first = firstOf(
    'why does cart answer 503?',
    describeOf('service', 'cart', service),
    describeOf('pod', 'cart-6c9f7d-x2x2x', POD),
  );
  expect(first).toMatchObject({ kind: 'config' });
  expect(first?.text).toBe(
    'Service shop/cart its selector (app=cart, tier=back) matches no pod. Pods have app=cart, tier=front.',
  );
});

test('pods without recorded labels do not show that a selector is wrong', () => {
  const services = `NAME   TYPE        CLUSTER-IP   EXTERNAL-IP   PORT(S)   AGE   SELECTOR
cart   ClusterIP   10.0.0.1     <none>        80/TCP    9d    app=cart
`;
  const pods = `NAME                READY   STATUS    RESTARTS   AGE
cart-6c9f7d-x2x2x   1/1     Running   0          9d
`;
  expect(found('is it well?', listOf('service', services), listOf('pod', pods))).toEqual([]);
});

test('a probe of a port that no container has is wrong, by the template of the deployment', () => {
  const deployment = `Name:           cart
Namespace:      shop
Replicas:       1 desired | 1 updated | 1 total | 0 available | 1 unavailable
Pod Template:
  Labels:  app=cart
  Containers:
   cart:
    Image:      registry.example/cart:2
    Port:       8080/TCP
    Readiness:  http-get http://:9090/ready delay=5s timeout=1s period=5s #success=1 #failure=3
Conditions:
  Type       Status  Reason
  ----       ------  ------
  Available  False   MinimumReplicasUnavailable
Events:      <none>
`;
  const pods = `NAME                READY   STATUS    RESTARTS   AGE
cart-6c9f7d-x2x2x   0/1     Running   0          9m
`;
  const events = `LAST SEEN          TYPE      REASON      OBJECT                  MESSAGE
4s (x9 over 9m)    Warning   Unhealthy   Pod/cart-6c9f7d-x2x2x   Readiness probe failed: dial tcp 10.0.0.9:9090: connect: connection refused
`;
  const first = firstOf(
    'cart is not available',
    describeOf('deployment', 'cart', deployment),
    listOf('pod', pods),
    answerOf('kubectl_events', events, { resource_type: 'pod', namespace: 'shop' }),
  );
  expect(first).toMatchObject({ kind: 'config' });
  expect(first?.text).toMatch(
    /readiness probe asks port 9090, which is not one of its ports \(8080\)/,
  );
});

test.each([
  [
    'unschedulable',
    'Insufficient cpu',
    'Warning  FailedScheduling  3m  default-scheduler  0/3 nodes are available: 3 Insufficient cpu.',
  ],
  [
    'volume',
    'unbound immediate PersistentVolumeClaims',
    'Warning  FailedScheduling  3m  default-scheduler  0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims.',
  ],
])('a pod that cannot be scheduled: %s', (kind, words, event) => {
  const pod = `Name:         cart-0
Namespace:    shop
Status:       Pending
Conditions:
  Type           Status
  PodScheduled   False
Events:
  Type     Reason            Age  From               Message
  ----     ------            ---- ----               -------
  ${event}
`;
  const first = firstOf('why is cart pending?', describeOf('pod', 'cart-0', pod));
  expect(first).toMatchObject({ kind });
  expect(first?.text).toContain(words);
});

test('an image that cannot be pulled is named, with the words of the registry', () => {
  const pod = `Name:         cart-0
Namespace:    shop
Status:       Pending
Containers:
  cart:
    Image:          registry.example/cart:latets
    State:          Waiting
      Reason:       ImagePullBackOff
    Ready:          False
    Restart Count:  0
Conditions:
  Type           Status
  Ready          False
  PodScheduled   True
Events:
  Type     Reason  Age               From     Message
  ----     ------  ----              ----     -------
  Warning  Failed  3m                kubelet  Failed to pull image "registry.example/cart:latets": manifest unknown
  Warning  Failed  1m (x4 over 3m)   kubelet  Error: ImagePullBackOff
`;
  const first = firstOf('what is wrong with cart?', describeOf('pod', 'cart-0', pod));
  expect(first).toMatchObject({ kind: 'image-pull' });
  expect(first?.text).toContain('"registry.example/cart:latets": manifest unknown');
});

test('what a container logs before it ends says more than that it ends', () => {
  const pod = POD.replace(
    'State:          Running\n      Started:',
    'State:          Waiting\n      Reason:       CrashLoopBackOff\n    Last State:     Terminated\n      Reason:       Error\n      Exit Code:    1\n      Finished:',
  );
  const log = `starting
Traceback (most recent call last):
  File "/app/main.py", line 3, in <module>
    url = os.environ["QUEUE_URL"]
KeyError: 'QUEUE_URL'
`;
  const first = firstOf(
    'why does cart crash?',
    describeOf('pod', 'cart-6c9f7d-x2x2x', pod),
    answerOf('kubectl_previous_logs', log, { pod_name: 'cart-6c9f7d-x2x2x', namespace: 'shop' }),
  );
  expect(first?.text).toContain("KeyError: 'QUEUE_URL'");
});

test('a quota that is used up explains missing pods, and a stranger that crashes does not', () => {
  const set = `Name:           cart-6c9f7d
Namespace:      shop
Replicas:       1 current / 3 desired
Conditions:
  Type             Status  Reason
  ----             ------  ------
  ReplicaFailure   True    FailedCreate
Events:
  Type     Reason        Age                From                   Message
  ----     ------        ----               ----                   -------
  Warning  FailedCreate  5m (x8 over 22m)   replicaset-controller  (combined from similar events): Error creating: pods "cart-6c9f7d-aaaaa" is forbidden: exceeded quota: team, requested: pods=1, used: pods=9, limited: pods=9
`;
  const pods = `NAME                READY   STATUS             RESTARTS        AGE
cart-6c9f7d-x2x2x   1/1     Running            0               9d
mail-7d8f9c-k2k2k   0/1     CrashLoopBackOff   4102 (3m ago)   15d
`;
  const first = firstOf(
    'why has cart one pod?',
    describeOf('replicaset', 'cart-6c9f7d', set),
    listOf('pod', pods),
  );
  expect(first).toMatchObject({ kind: 'capacity' });
  expect(first?.text).toContain('exceeded quota: team');
});

test('an init container that waits for a service that does not exist', () => {
  const pod = `Name:             cart-0
Namespace:        shop
Start Time:       Mon, 02 Mar 2026 10:00:00 +0000
Status:           Pending
Init Containers:
  wait:
    Command:
      sh
      -c
      until nc -z cart-db.data.svc 5432; do sleep 5; done
    State:          Running
      Started:      Mon, 02 Mar 2026 10:00:05 +0000
    Ready:          False
Conditions:
  Type           Status
  Ready          False
  PodScheduled   True
Events:
  Type    Reason     Age  From     Message
  ----    ------     ---- ----     -------
  Normal  Scheduled  45m  default  Successfully assigned shop/cart-0 to node-1
`;
  const services = `NAME          TYPE        CLUSTER-IP   EXTERNAL-IP   PORT(S)    AGE   SELECTOR
cart-postgres ClusterIP   10.0.0.4     <none>        5432/TCP   99d   app=cart-postgres
`;
  const first = firstOf(
    'why is cart not started?',
    describeOf('pod', 'cart-0', pod),
    listOf('service', services, 'data'),
  );
  expect(first).toMatchObject({ kind: 'wrong-address' });
  expect(first?.text).toContain('No such service exists: cart-db.data.svc');
});

test.each([
  [
    'in a list',
    'NAME                  POD-SELECTOR   AGE\ndefault-deny-egress   <none>         38m\n',
  ],
  [
    'described',
    'Name:  lockdown\nSpec:\n  Allowing egress traffic:\n    <none> (Selected pods are isolated for egress connectivity)\n',
  ],
])('a network policy %s is told where calls fail', (_, output) => {
  const policy = listOf('networkpolicy', output);
  const log = answerOf('fetch_pod_logs', 'ERROR dial tcp 10.0.0.4:5432: i/o timeout');
  expect(firstOf('why does it fail?', policy, log)).toMatchObject({ kind: 'network-policy' });
  expect(found('is it well?', policy).filter(({ weight }) => weight > 10)).toEqual([]);
});

test('a container that is killed by its liveness probe has not run out of memory', () => {
  const pod = POD.replace(
    '    Ready:          True',
    '    Last State:     Terminated\n      Reason:       Error\n      Exit Code:    137\n    Ready:          True',
  );
  const kinds = found('why does cart restart?', describeOf('pod', 'cart-6c9f7d-x2x2x', pod));
  expect(kinds.map(({ kind }) => kind)).not.toContain('out-of-memory');
});
