import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { draftOf } from './draft.js';
import { foundInCompose, interpolate, parseEnvFile } from './from-compose.js';

const ENV = parseEnvFile(
  [
    '# ports',
    'CART_PORT=7070',
    'export CART_ADDR="cart:${CART_PORT}"',
    'FLAGS_HOST=flags # of features',
    'EMPTY=',
  ].join('\n'),
);

function draft(files: string[], env = ENV) {
  const { nodes, edges } = foundInCompose(
    files.map((text) => parse(text, { merge: true }) as unknown),
    env,
  );
  return draftOf(nodes, edges);
}
const edgesOf = (given: ReturnType<typeof draft>) =>
  given.nodes.flatMap(({ id, dependsOn }) =>
    dependsOn.map(({ on, evidence }) => `${id} > ${on} (${evidence})`),
  );

test('names files of variables, which are not read', () => {
  const { unread } = foundInCompose(
    [
      {
        services: {
          web: { env_file: 'web.env' },
          api: { env_file: ['a.env', { path: 'b.env', required: false }] },
          db: {},
        },
      },
    ],
    {},
  );
  expect(unread).toEqual([
    'web.env (env_file of web): edges that its variables name are missing.',
    'a.env (env_file of api): edges that its variables name are missing.',
    'b.env (env_file of api): edges that its variables name are missing.',
  ]);
});

test('gives Elasticsearch its kind and its port', () => {
  const { nodes } = draft(['services: { search: { image: "elasticsearch:8.15.0" } }']);
  expect(nodes).toMatchObject([
    { id: 'search', kind: 'elasticsearch', endpoint: 'http://search:9200' },
  ]);
});

test('reads variables, commands, links and what waits at the start', () => {
  const shop = draft([
    `services:
       web:
         image: shop/web
         ports: ['8080:80']
         environment: [CART_ADDR, FLAGS_HOST, 'ORDERS_URL=http://orders-api:9000', 'OTEL=http://otel-collector:4318']
         links: ['mailer:mail']
         depends_on: { cart: { condition: service_healthy }, otel-collector: { condition: service_started } }
       cart:
         image: shop/cart
         expose: ['\${CART_PORT}']
         command: [serve, --store, 'redis://store:6379']
         depends_on: [store]
       store: { image: 'redis:alpine', ports: ['6379'] }
       orders: { image: shop/orders, hostname: orders-api, ports: [{ target: 9000, published: 80 }] }
       flags: { image: shop/flags }
       mailer: { image: shop/mailer }
       otel-collector: { image: otel/opentelemetry-collector }`,
  ]);
  expect(edgesOf(shop)).toEqual([
    'cart > store (command)',
    'web > cart (env)',
    'web > flags (env)',
    'web > mailer (link)',
    'web > orders (env)',
  ]);
  expect(shop.nodes.map(({ id, kind, endpoint = '' }) => `${id} ${kind} ${endpoint}`)).toEqual([
    'cart service http://cart:7070',
    'flags workload ',
    'mailer workload ',
    'orders service http://orders:9000',
    'store redis redis://store:6379',
    'web service http://web',
  ]);
});

test('names hosts that are no service of the files, and not the container itself', () => {
  const { unknown } = draft([
    `services: { web: { environment: { DB_URL: 'postgres://u:hunter2@db.example.com/x', OWN_URL: 'http://localhost:80', LOG_TARGET: stdout }, depends_on: [gone] } }`,
  ]);
  expect(unknown).toEqual([
    { node: 'web', on: 'db.example.com', evidence: 'env', from: 'DB_URL of web' },
    { node: 'web', on: 'gone', evidence: 'order', from: 'depends_on of web' },
  ]);
});

test('merges files as compose does', () => {
  const merged = draft([
    'services: { a: { image: x, environment: { B_URL: "http://b" } }, b: {}, c: {} }',
    'services: { a: { environment: ["C_URL=http://c"] } }',
  ]);
  expect(edgesOf(merged)).toEqual(['a > b (env)', 'a > c (env)']);
});

test('reads the compose file of this service', () => {
  const path = join(import.meta.dirname, '../../../docker-compose.yml');
  const own = draft([readFileSync(path, 'utf8')], {});
  expect(edgesOf(own).length).toBeGreaterThan(0);
  expect(own.nodes.find(({ kind }) => kind === 'redis')?.endpoint).toMatch(/^redis:\/\//);
});

test.each(['services: 1', 'services: { a: 1, b: [2], c: { environment: [[1]], ports: {} } }', '1'])(
  'reads %j without a fault',
  (text) => expect(draft([text]).leftOut).toEqual([]),
);

describe('interpolate', () => {
  test.each([
    ['${CART_PORT}', '7070'],
    ['$CART_PORT/x', '7070/x'],
    ['${NONE:-b}', 'b'],
    ['${EMPTY:-b}', 'b'],
    ['${NONE:-${CART_PORT}}', '7070'],
    ['${CART_PORT:+set}', 'set'],
    ['${NONE:?it is missing}', ''],
    ['$$HOME', '$HOME'],
    ['no variables', 'no variables'],
  ])('%s is %s', (text, expected) => expect(interpolate(text, ENV)).toBe(expected));

  test('ends where variables name each other', () => {
    const many = '$A'.repeat(4_000);
    expect(interpolate(many, { A: many }).length).toBeLessThan(10_000);
  });
});
