import { expect, test } from '@jest/globals';
import type { KubernetesObject } from '../telemetry/records.js';
import { objectsByNode, objectsOf, workloadIn } from './workload.js';

const objectOf = (kind: string, name: string, fields: object = {}, metadata: object = {}) => ({
  kind,
  name,
  namespace: 'shop',
  object: { metadata: { name, namespace: 'shop', ...metadata }, ...fields },
});
const ownedBy = (kind: string, name: string) => ({ ownerReferences: [{ kind, name }] });
const app = (name: string) => ({ labels: { app: name } });

const OBJECTS: readonly KubernetesObject[] = [
  objectOf('Deployment', 'orders', { spec: { template: { metadata: app('orders') } } }),
  objectOf('ReplicaSet', 'orders-1', {}, ownedBy('Deployment', 'orders')),
  objectOf(
    'Pod',
    'orders-1-a',
    { spec: { volumes: [{ persistentVolumeClaim: { claimName: 'files' } }] } },
    { ...ownedBy('ReplicaSet', 'orders-1'), ...app('orders') },
  ),
  objectOf('Service', 'orders-http', { spec: { selector: { app: 'orders' } } }),
  objectOf('Service', 'orders', { spec: { selector: { app: 'order' } } }),
  objectOf('Ingress', 'web', {
    spec: { rules: [{ http: { paths: [{ backend: { service: { name: 'orders-http' } } }] } }] },
  }),
  objectOf('HTTPRoute', 'api', { spec: { rules: [{ backendRefs: [{ name: 'orders-http' }] }] } }),
  objectOf('HTTPRoute', 'other', { spec: { rules: [{ backendRefs: [{ name: 'none' }] }] } }),
  objectOf('PersistentVolumeClaim', 'files'),
  objectOf('HorizontalPodAutoscaler', 'scale', {
    spec: { scaleTargetRef: { kind: 'Deployment', name: 'orders' } },
  }),
  objectOf('PodDisruptionBudget', 'keep', {
    spec: { selector: { matchLabels: { app: 'orders' } } },
  }),
  objectOf('Deployment', 'orders-db', { spec: { template: { metadata: app('orders-db') } } }),
  objectOf('Pod', 'orders-db-1', {}, app('orders-db')),
  objectOf('Event', 'orders.1'),
  { kind: 'Node', name: 'orders', object: { metadata: { name: 'orders' } } },
];
const namesOf = (selector: string) => {
  const workload = workloadIn(selector);
  return workload && [...objectsOf(workload, OBJECTS)].map(({ kind, name }) => `${kind} ${name}`);
};

test('a workload has what it owns and what leads to it, and nothing that only begins with its name', () => {
  expect(namesOf('deployment/orders')?.sort()).toEqual([
    'Deployment orders',
    'HTTPRoute api',
    'HorizontalPodAutoscaler scale',
    'Ingress web',
    'PersistentVolumeClaim files',
    'Pod orders-1-a',
    'PodDisruptionBudget keep',
    'ReplicaSet orders-1',
    'Service orders',
    'Service orders-http',
  ]);
});

test('a service has the pods that it selects', () => {
  expect(namesOf('service/orders-http')?.sort()).toContain('Pod orders-1-a');
});

test('a workload of another namespace has nothing here', () => {
  expect(namesOf('shop/deployment/orders')).toHaveLength(10);
  expect(namesOf('test/deployment/orders')).toEqual([]);
});

test.each(['orders', 'secret/orders', 'deployment/', '../deployment/x', 'Deployment/x'])(
  '%j is no workload',
  (selector) => expect(workloadIn(selector)).toBeUndefined(),
);

test('an event is of the workload that its pod is named after, if the pod was not recorded', () => {
  const eventOf = (name: string) =>
    objectOf('Event', `${name}.1`, { involvedObject: { kind: 'Pod', namespace: 'shop', name } });
  const events = [
    'orders-6b8f9c5d7-x2x4z',
    'orders-0',
    'orders-db-0',
    'orders-mailer-6b8f9c5d7-x2x4z',
  ].map(eventOf);
  const byNode = objectsByNode(events, new Map([['orders', 'orders']]));
  expect(byNode.get('orders')?.map(({ name }) => name)).toEqual([
    'orders-6b8f9c5d7-x2x4z.1',
    'orders-0.1',
  ]);
});

test('a name that is one of a machine has its object; one of a class or of a volume has none', () => {
  const machine = { kind: 'Node', name: 'pool-b-7', object: {} };
  const other = { kind: 'Node', name: 'pool-b-7-2', object: {} };
  const volume = { kind: 'PersistentVolume', name: 'pool-b-7', object: {} };
  const byNode = objectsByNode([machine, other, volume], new Map([['host', 'pool-b-7']]));
  expect(byNode.get('host')).toEqual([machine]);
});
