import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { KubernetesObject } from '../telemetry/records.js';
import { draftOf } from './draft.js';
import { foundInKubernetes } from './from-kubernetes.js';

const object = (
  kind: string,
  name: string,
  more: object,
  namespace = 'shop',
): KubernetesObject => ({
  kind,
  name,
  namespace,
  object: { kind, metadata: { name, namespace }, ...more },
});
const workload = (
  name: string,
  container: object = {},
  kind = 'Deployment',
  namespace = 'shop',
) => {
  const template = {
    metadata: { labels: { app: name } },
    spec: { containers: [{ name, image: `shop/${name}:1`, ...container }] },
  };
  return object(kind, name, { spec: { template } }, namespace);
};
const service = (name: string, port: number, app = name, namespace = 'shop') =>
  object('Service', name, { spec: { selector: { app }, ports: [{ port }] } }, namespace);

function draft(objects: KubernetesObject[]) {
  const { nodes, edges } = foundInKubernetes(objects, 'k8s');
  return draftOf(nodes, edges);
}
const edgesOf = (given: ReturnType<typeof draft>) =>
  given.nodes.flatMap(({ id, dependsOn }) =>
    dependsOn.map(({ on, evidence, from }) => `${id} > ${on} (${evidence}: ${from})`),
  );

test('names hosts of services that were not read, and services without a workload', () => {
  const { unknown } = draft([
    workload('web', {
      env: [
        { name: 'DB', value: 'postgres://app:x@pg.data.svc.cluster.local:5432/shop' },
        { name: 'OLD_URL', value: 'http://legacy' },
      ],
    }),
    service('legacy', 80, 'nothing'),
  ]);
  expect(unknown.map(({ node, on }) => `${node} > ${on}`)).toEqual([
    'web > legacy.shop',
    'web > pg.data.svc.cluster.local',
  ]);
});

test('finds services in variables, config maps, arguments and ingresses', () => {
  const shop = draft([
    workload('web', {
      env: [
        { name: 'CART_URL', value: 'http://cart.shop.svc.cluster.local:7070' },
        { name: 'PAY', value: 'payments:80' },
        { name: 'RATES_HOST', valueFrom: { configMapKeyRef: { name: 'hosts', key: 'rates' } } },
      ],
      args: ['--orders-addr', 'order-api'],
    }),
    workload('cart', { envFrom: [{ configMapRef: { name: 'cart' } }] }),
    workload('orders'),
    workload('rates'),
    workload('payments', {}, 'Deployment', 'bank'),
    workload('store', { image: 'docker.io/library/redis:7' }, 'StatefulSet'),
    service('web', 80),
    service('cart', 7_070),
    service('order-api', 80, 'orders'),
    service('rates', 81),
    service('store', 6_379),
    service('payments', 80, 'payments', 'bank'),
    object('ConfigMap', 'hosts', { data: { rates: 'rates' } }),
    object('ConfigMap', 'cart', { data: { REDIS_ADDR: 'store:6379', DB_URL: 'postgres://db' } }),
    object('Service', 'db', {
      spec: { type: 'ExternalName', externalName: 'db.example.com', ports: [{ port: 5_432 }] },
    }),
    object('Ingress', 'front', {
      spec: {
        rules: [
          { host: 'shop.example', http: { paths: [{ backend: { service: { name: 'web' } } }] } },
        ],
      },
    }),
  ]);
  expect(edgesOf(shop)).toEqual([
    'cart > db.example.com (env: DB_URL of deployment shop/cart)',
    'cart > store (env: REDIS_ADDR of deployment shop/cart)',
    'front-ingress > web (route: ingress shop/front)',
    'web > cart (env: CART_URL of deployment shop/web)',
    'web > orders (command: the command of deployment shop/web)',
    'web > rates (env: RATES_HOST of deployment shop/web)',
  ]);
  expect(shop.nodes).toContainEqual(
    expect.objectContaining({
      id: 'db.example.com',
      kind: 'postgres',
      endpoint: 'postgres://db.example.com:5432',
    }),
  );
  expect(shop.nodes.find(({ id }) => id === 'store')).toMatchObject({
    kind: 'redis',
    endpoint: 'redis://store.shop:6379',
    in: { k8s: 'shop/statefulset/store' },
  });
});

test('an ingress with a certificate is asked over HTTPS, and depends on its default backend', () => {
  const { nodes, edges } = foundInKubernetes(
    [
      workload('web'),
      service('web', 80),
      object('Ingress', 'front', {
        spec: {
          defaultBackend: { service: { name: 'web' } },
          rules: [{ host: 'shop.example' }],
          tls: [{ hosts: ['shop.example'] }],
        },
      }),
    ],
    'k8s',
  );
  const front = nodes.find(({ id }) => id === 'front-ingress');
  expect(front?.endpoint).toBe('https://shop.example');
  expect(edges).toMatchObject([{ node: 'front-ingress', on: 'web' }]);
});

test('a name of another namespace needs that namespace', () => {
  const objects = (value: string) => [
    workload('web', { env: [{ name: 'PAY_URL', value }] }),
    workload('pay', {}, 'Deployment', 'bank'),
    service('pay', 80, 'pay', 'bank'),
  ];
  expect(edgesOf(draft(objects('http://pay')))).toEqual([]);
  expect(edgesOf(draft(objects('http://pay.bank')))).toHaveLength(1);
});

test('workloads of one name in two namespaces are two nodes', () => {
  const { nodes } = draft([workload('api'), workload('api', {}, 'Deployment', 'bank')]);
  expect(nodes.map(({ id }) => id)).toEqual(['bank-api', 'shop-api']);
});

test('reads the recorded namespace: every workload is a node', () => {
  const folder = join(import.meta.dirname, '../../../test/fixtures/kubernetes');
  const objects = readdirSync(folder).flatMap((file) => {
    const list = JSON.parse(readFileSync(join(folder, file), 'utf8')) as {
      kind: string;
      items: { metadata: { name: string; namespace?: string } }[];
    };
    return list.items.map((item): KubernetesObject => {
      const { name, namespace } = item.metadata;
      const kind = list.kind.replace(/List$/, '');
      return { kind, name, ...(namespace !== undefined && { namespace }), object: { ...item } };
    });
  });
  const workloads = objects.filter(({ kind }) =>
    /^(?:Deployment|StatefulSet|DaemonSet)$/.test(kind),
  );
  const ids = draft(objects).nodes.map(({ id }) => id);
  expect(workloads.map(({ name }) => name).filter((name) => !ids.includes(name))).toEqual([]);
});

test('objects of any shape are no fault', () => {
  const odd = [
    object('Deployment', 'a', {
      spec: { template: { spec: { containers: [{ env: 1, args: [{}] }] } } },
    }),
    object('Service', 'b', { spec: { selector: [], ports: 'x' } }),
    object('Ingress', 'c', { spec: { rules: [1, { http: { paths: [null] } }] } }),
  ];
  expect(draft(odd).leftOut).toEqual([]);
});
