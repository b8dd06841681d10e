import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { anyEgress } from '../../../test/support/any-egress.js';
import { Loopback, testCa, testCertificate } from '../../../test/support/loopback.js';
import { writeDraft } from '../../domain/discovery/write-draft.js';
import {
  discoverCluster,
  discoverCompose,
  discoverManifests,
  discoverTraces,
} from './find-topology.js';

const targets = new Loopback();
afterEach(() => targets.close());

const workload = (name: string, value = '') => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: 'shop' },
  spec: {
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name, image: name, env: [{ name: 'STORE_URL', value }] }] },
    },
  },
});
const service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'store', namespace: 'shop' },
  spec: { selector: { app: 'store' }, ports: [{ port: 6_379 }] },
};
const OBJECTS = [workload('web', 'redis://:hunter2@store:6379/0'), workload('store'), service];
const EDGE = '- store # env: STORE_URL of deployment shop/web';

test('reads manifests and lists, in one file or in several', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'discover-'));
  const [one, list] = [join(folder, 'all.yaml'), join(folder, 'list.json')];
  writeFileSync(one, OBJECTS.map((object) => JSON.stringify(object)).join('\n---\n'));
  writeFileSync(list, JSON.stringify({ kind: 'List', items: OBJECTS }));
  const draft = await discoverManifests([one]);
  expect(await discoverManifests([list])).toEqual(draft);
  const text = writeDraft(draft, { name: 'shop', sources: [] });
  expect(text).toContain(EDGE);
  expect(text).not.toContain('hunter2');
});

test('names the file that cannot be read, and none of its text', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'discover-'));
  const file = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const spans = file('spans.ndjson', '{}\n{"password": hunter2}\n');
  await expect(discoverTraces([spans])).rejects.toThrow(`${spans}: line 2 is not JSON`);
  const deep = file('deep.yaml', '['.repeat(200) + ']'.repeat(200));
  await expect(discoverCompose([deep], undefined)).rejects.toThrow(`${deep} is nested deeper`);
  const broken = file('broken.yaml', 'services: {web: {image: hunter2}\n');
  const failed = discoverManifests([broken]);
  await expect(failed).rejects.toThrow(`${broken}: `);
  await expect(failed).rejects.not.toThrow('hunter2');
});

test('reads a listed cluster, with the values of variables', async () => {
  const server = createServer(testCertificate('valid'), ({ url = '' }, response) => {
    const items = OBJECTS.filter(({ kind }) => url.includes(`/${kind.toLowerCase()}s?`));
    const groups = [{ versions: [{ groupVersion: 'apps/v1' }] }];
    response.end(JSON.stringify(url === '/apis' ? { groups } : { metadata: {}, items }));
  });
  const listed = {
    id: 'k8s',
    kind: 'kubernetes' as const,
    namespaces: ['shop'],
    ca: '${env:CA}',
    endpoint: `https://127.0.0.1:${await targets.open(server)}`,
  };
  const reach = { egress: anyEgress, secretOf: testCa };
  const draft = await discoverCluster(listed, reach, new AbortController().signal);
  const text = writeDraft(draft, { name: 'shop', sources: [{ id: 'k8s', kind: 'kubernetes' }] });
  expect(text).toContain(EDGE);
  expect(text).toContain('k8s: "shop/deployment/web"');
  expect(text).not.toContain('hunter2');
});
