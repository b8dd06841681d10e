import { mkdtempSync, cpSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { expectSound } from '../../../test/support/expect-sound.js';
import { contextOf, nodeOf } from '../../../test/support/loopback.js';
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
    'Pod orders-764f95c564-l9m5w container orders is in CreateContainerConfigError',
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
      { title: expect.stringContaining('Service cache selects labels that no pod has') as unknown },
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

test('reports that nothing was read', async () => {
  expect(await check('nothing')).toMatchObject({
    status: 'ok',
    measurements: { recorded: false },
  });
});
