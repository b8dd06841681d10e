import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { startCommandWith } from '../../support/processes/command.js';
import { Loopback } from '../../support/loopback.js';

let folder: string;
const targets = new Loopback();
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'consilium-discover-'));
});
afterEach(async () => {
  await targets.close();
  await rm(folder, { recursive: true });
});

const discover = (variables: Record<string, string>, ...args: string[]) =>
  startCommandWith(variables, 'src/cli/discover.ts', ...args).ended;

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

test('drafts a topology from a compose file and its variables', async () => {
  const compose = await file(
    'compose.yaml',
    'services: { web: { environment: [CART_URL] }, cart: { image: shop/cart } }',
  );
  const env = await file('.env', 'CART_URL=http://cart:80');
  const { code, stdout } = await discover(
    {},
    'compose',
    compose,
    '--env-file',
    env,
    '--name',
    'shop',
  );
  expect(code).toBe(0);
  expect(stdout).toContain('- cart # env: CART_URL of web');
  expect(parse(stdout)).toMatchObject({ name: 'shop', nodes: [{ id: 'cart' }, { id: 'web' }] });
});

test('states that the addresses of a draft from manifests are those of the cluster', async () => {
  const labels = { app: 'cart' };
  const items = [
    {
      kind: 'Deployment',
      metadata: { name: 'cart', namespace: 'shop' },
      spec: { template: { metadata: { labels }, spec: { containers: [{ name: 'cart' }] } } },
    },
    {
      kind: 'Service',
      metadata: { name: 'cart', namespace: 'shop' },
      spec: { selector: labels, ports: [{ port: 80 }] },
    },
  ];
  const manifests = await file('shop.json', JSON.stringify({ kind: 'List', items }));
  const { stdout } = await discover({}, 'kubernetes', manifests);
  expect(parse(stdout)).toMatchObject({ nodes: [{ id: 'cart', endpoint: 'http://cart.shop' }] });
  expect(stdout).toContain('# Hosts have the names of services inside of the cluster. Where these');
});

test('drafts a topology from spans', async () => {
  const span = (service: string, spanId: string, parentSpanId = '') => ({
    resource: { attributes: [{ key: 'service.name', value: { stringValue: service } }] },
    scopeSpans: [
      {
        spans: [
          {
            traceId: 't',
            spanId,
            parentSpanId,
            name: 'x',
            startTimeUnixNano: '1',
            endTimeUnixNano: '2',
          },
        ],
      },
    ],
  });
  const lines = [span('web', '1'), span('cart', '2', '1')].map((each) =>
    JSON.stringify({ resourceSpans: [each] }),
  );
  const { stdout } = await discover({}, 'traces', await file('spans.ndjson', lines.join('\n')));
  expect(stdout).toContain('- cart # trace: one call');
});

test('drafts a topology from the service graph of a listed Prometheus', async () => {
  const queries: string[] = [];
  const server = createServer((request, response) => {
    request.on('data', (body: Buffer) => {
      const query = new URLSearchParams(body.toString()).get('query') ?? '';
      queries.push(query);
      const metric = query.includes('traces_service_graph')
        ? { client: 'web', server: 'cart' }
        : { job: 'web' };
      const result = query.includes('istio') ? [] : [{ metric, value: [1, '5'] }];
      response.end(JSON.stringify({ status: 'success', data: { resultType: 'vector', result } }));
    });
  });
  const port = await targets.open(server);
  const SOURCES_FILE = await file(
    'sources.yaml',
    `sources: [{ id: prom, kind: prometheus, endpoint: 'http://127.0.0.1:${port}' }]`,
  );
  const { code, stdout } = await discover({ SOURCES_FILE }, 'prometheus', '--source', 'prom');
  expect([code, queries.length]).toEqual([0, 3]);
  expect(parse(stdout)).toMatchObject({
    sources: [{ id: 'prom', kind: 'prometheus' }],
    nodes: [{ id: 'cart' }, { id: 'web', in: { prom: 'job="web"' }, dependsOn: ['cart'] }],
  });
});

test('prints no draft if nothing was found, and says so', async () => {
  const path = await file('compose.yaml', 'services: {}');
  expect(await discover({}, 'compose', path)).toEqual({
    code: 1,
    stdout: '',
    stderr: `${path}: no service was found, so there is no draft.\n`,
  });
});

test.each([
  [['magic', 'x'], 'nothing to discover in "magic"'],
  [['compose'], 'Name a file'],
  [['prometheus'], 'Name a source'],
  [['kubernetes', '--source', 'k'], 'SOURCES_FILE has no source "k"'],
  [
    ['compose', '/nowhere/compose.yaml'],
    'Cannot read /nowhere/compose.yaml: there is no such file.',
  ],
])('%j ends with 2', async (args, message) => {
  const { code, stderr } = await discover({}, ...args);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});
