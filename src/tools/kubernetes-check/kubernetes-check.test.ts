import { mkdtempSync, cpSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { expectSound } from '../../../test/support/streams/expect-sound.js';
import { contextOf, nodeOf } from '../../../test/support/loopback.js';
import type { KubernetesObject } from '../../domain/telemetry/records.js';
import { openBundle } from '../../sources/recording/bundle.js';
import { recordedSources } from '../../sources/recording/recorded-sources.js';
import { kubernetesCheck } from './kubernetes-check.js';

const FIXTURES = join(import.meta.dirname, '../../../test/fixtures/kubernetes');
const folder = mkdtempSync(join(tmpdir(), 'kubernetes-check-'));
beforeAll(() => {
  cpSync(FIXTURES, join(folder, 'kubernetes'), { recursive: true });
  writeFileSync(join(folder, 'topology.yaml'), 'id: 1');
  writeFileSync(
    join(folder, 'incident.yaml'),
    [
      'schema: consilium/incident@1',
      'id: shop',
      'start: 2026-11-22T12:00:00Z',
      'now: 2026-11-22T13:04:00Z',
    ].join('\n'),
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The result for a node of the recorded namespace, beside another one. */
async function check(id: string, kind = 'service', attributes = {}) {
  const node = { ...nodeOf(kind, undefined, attributes), id };
  const nodes = [node, { ...nodeOf('service'), id: 'other' }];
  const sources = recordedSources(await openBundle(folder), nodes);
  return expectSound(
    await kubernetesCheck.run({ node: id }, { ...contextOf(node, { nodes }), sources }),
  );
}

async function* listed(records: AsyncIterable<KubernetesObject>, refused: readonly string[]) {
  for await (const each of records) if (!refused.includes(each.kind)) yield each;
}

/** The result where the credential may not list some kinds. */
async function checkWithout(refused: readonly string[], id: string) {
  const node = { ...nodeOf(id === 'all' ? 'kubernetes' : 'service'), id };
  const nodes = [node, { ...nodeOf('service'), id: 'other' }];
  const sources = recordedSources(await openBundle(folder), nodes);
  const kubernetes = sources.kubernetes.map((cluster) =>
    Object.assign(Object.create(cluster) as typeof cluster, {
      lists: async (signal: AbortSignal) => {
        const lists = await cluster.lists(signal);
        const kinds = new Set([...(lists.kinds ?? [])].filter((kind) => !refused.includes(kind)));
        return { ...lists, kinds, refused };
      },
      objects: (signal: AbortSignal) => {
        const answer = cluster.objects(signal);
        return answer.kind === 'records'
          ? { ...answer, records: listed(answer.records, refused) }
          : answer;
      },
    }),
  );
  const context = { ...contextOf(node, { nodes }), sources: { ...sources, kubernetes } };
  return kubernetesCheck.run({ node: id }, context);
}

test('judges what it may read where pods are refused, and says what is hidden', async () => {
  const result = await checkWithout(['Pod', 'Event'], 'orders');
  expect(result.hidden).toMatch(/^The credential may not list Pod of /);
  const titles = result.issues.map(({ title }) => title);
  expect(titles).toContain('Deployment orders has 0 of 1 replicas ready');
  expect(titles).toContain('the credential may not list Pod, Event');
  const all = await checkWithout(['Pod', 'Deployment', 'Event'], 'all');
  expect(all.issues.length).toBeGreaterThan(3);
  expect(JSON.stringify(all.issues)).not.toMatch(/pod db-0 is missing/);
});

test('may not look where no object of the workload may be read', async () => {
  const kinds = [
    'Pod',
    'Deployment',
    'ReplicaSet',
    'Service',
    'Event',
    'EndpointSlice',
    'Endpoints',
  ];
  await expect(checkWithout(kinds, 'orders')).rejects.toMatchObject({ failure: 'refused' });
});

test('applies where a source has Kubernetes objects', () => {
  const source = { id: 'r', kind: 'recording', incident: 'x' } as const;
  const node = nodeOf('service');
  expect(kubernetesCheck.appliesTo(node, [{ ...source, provides: ['kubernetes'] }])).toBe(true);
  expect(kubernetesCheck.appliesTo(node, [{ ...source, provides: ['logs'] }])).toBe(false);
  expect(kubernetesCheck.appliesTo(node)).toBe(false);
});

test('finds what is wrong with the objects of one node', async () => {
  const result = await check('orders');
  expect(result).toMatchObject({ status: 'failed', measurements: { recorded: true, findings: 3 } });
  expect(result.issues.map(({ title }) => title)).toEqual([
    'Pod orders-764f95c564-l9m5w container orders is in CreateContainerConfigError: its secret orders-db does not exist',
    'Deployment orders has 0 of 1 replicas ready',
    'Service orders selects one pod, and none is ready',
  ]);
  expect(result.measurements['lines']).toContainEqual(
    expect.stringContaining('CreateContainerConfigError'),
  );
  expect(result.issues[0]).toMatchObject({
    detail: 'secret "orders-db" not found',
    kind: 'config',
  });
});

test('reads the name of a workload from the attribute kubernetes', async () => {
  expect(await check('web', 'service', { kubernetes: 'cache' })).toMatchObject({
    issues: [
      {
        title: expect.stringContaining(
          'Service cache its selector (app=kache) matches no pod',
        ) as unknown,
      },
    ],
  });
});

test.each([
  ['deployment/orders', 'shop/deployment/orders'],
  ['deployment/absent', undefined],
  ['shop/deployment/absent', 'shop/deployment/absent'],
  ['cache', undefined],
])('names the workload of %s with its namespace', async (kubernetes, workload) => {
  const { measurements } = await check('web', 'service', { kubernetes });
  expect(measurements['workload']).toBe(workload);
});

test('has all objects for a node of kind kubernetes, the machines included', async () => {
  const { measurements, issues } = await check('cluster', 'kubernetes');
  expect(measurements['findings']).toBe(28);
  expect(issues).toHaveLength(28);
});

test('names the object of each issue: of a pod, the workload that made it', async () => {
  const { issues } = await check('cluster', 'kubernetes');
  const objectOf = (start: string) => issues.find(({ title }) => title.startsWith(start))?.object;
  expect(objectOf('Pod orders-764f95c564-l9m5w container')).toBe('shop/Deployment/orders');
  expect(objectOf('Pod pull container')).toBe('shop/Pod/pull');
  expect(objectOf('Node node-x')).toBe('Node/node-x');
  expect(objectOf('PersistentVolumeClaim data')).toBe('shop/PersistentVolumeClaim/data');
});

test('reports that nothing was read', async () => {
  expect(await check('nothing')).toMatchObject({
    status: 'ok',
    measurements: { recorded: false },
  });
});
