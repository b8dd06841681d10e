import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { anyEgress } from '../../../test/support/any-egress.js';
import {
  brokenNamespace,
  healthyNamespace,
  KUBERNETES_TOKEN,
  startKubernetesReplay,
  type KubernetesReplay,
} from '../../../test/support/sources/kubernetes-replay.js';
import { contextOf, testCa } from '../../../test/support/loopback.js';
import { loadConfig } from '../../config/load-config.js';
import { parseTopology } from '../../domain/topology/parse-topology.js';
import type { Json } from '../../lib/json.js';
import { liveSources } from '../../sources/live/live-sources.js';
import { readSourcesFile } from '../../sources/live/sources-file.js';
import { observe } from '../../sources/observe.js';
import { openBundle } from '../../sources/recording/bundle.js';
import { recordedSources } from '../../sources/recording/recorded-sources.js';
import type { SourceSet } from '../../sources/source-set.js';
import { kubernetesCheck } from '../../tools/kubernetes-check/kubernetes-check.js';
import { BundleWriter } from './bundle-writer.js';
import { captureSources, framed } from './capture-sources.js';

const never = new AbortController().signal;
const now = Date.parse('2026-11-22T13:04:00Z');
const start = now - 3_600_000;

let folder = '';
const clusters: KubernetesReplay[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'capture-clusters-'));
  clusters.push(await startKubernetesReplay(brokenNamespace()));
  clusters.push(await startKubernetesReplay(healthyNamespace()));
});
afterAll(async () => {
  await Promise.all(clusters.map((cluster) => cluster.close()));
  await rm(folder, { recursive: true });
});

const TOPOLOGY = {
  id: 1,
  name: 'Shop',
  sources: ['prod', 'stage'].map((id) => ({ id, kind: 'kubernetes' })),
  nodes: [
    { id: 'orders-of-prod', in: { prod: 'deployment/orders' } },
    { id: 'orders-of-stage', in: { stage: 'deployment/orders' } },
    { id: 'elsewhere', in: { prod: 'payments/deployment/api' } },
    { id: 'all-of-stage', kind: 'kubernetes', in: { stage: '*' } },
    // It selects from no cluster, although objects of one are called like it.
    { id: 'orders', kind: 'tcp', endpoint: '127.0.0.1:9' },
  ].map((node) => ({ name: node.id, kind: 'workload', ...node })),
};

function nodesOf(topology: unknown) {
  const parsed = parseTopology(topology, [{ name: 'look', appliesTo: () => true }]);
  if ('faults' in parsed) throw new Error(JSON.stringify(parsed.faults));
  return parsed.topology;
}

/**
 * What the check finds at each node, or why it cannot, and how many objects a ranking reads of
 * each.
 */
async function seenOf(sources: SourceSet, { nodes }: ReturnType<typeof nodesOf>) {
  const selecting = nodes.filter(({ id }) => id !== 'orders');
  const checked = selecting.map(async (node) => {
    const result = kubernetesCheck.run(
      { node: node.id },
      { ...contextOf(node, { nodes }), sources },
    );
    return [node.id, await result.catch(({ message }: Error) => message)];
  });
  const { kubernetesByNode, kubernetes } = await observe(sources, nodes, never);
  return {
    checked: await Promise.all(checked),
    objects: kubernetes.length,
    byNode: nodes.map(({ id }) => [id, kubernetesByNode.get(id)?.length ?? 0]),
  };
}

test('a capture of two clusters gives each node the objects of its own, although their names are the same', async () => {
  const sourcesFile = join(folder, 'sources.yaml');
  const listed = TOPOLOGY.sources.map((source, index) => ({
    ...source,
    namespaces: ['shop'],
    endpoint: clusters[index]?.url,
    auth: { bearer: '${env:K8S_TOKEN}' },
    ca: `\${file:${join(folder, 'ca.pem')}}`,
  }));
  await writeFile(join(folder, 'ca.pem'), testCa());
  await writeFile(sourcesFile, JSON.stringify({ sources: listed }));
  const variables = { SOURCES_FILE: sourcesFile, K8S_TOKEN: KUBERNETES_TOKEN };
  const config = loadConfig(variables);
  const { secretOf } = config;
  const topology = nodesOf(TOPOLOGY);
  const reach = { egress: anyEgress, secretOf, start, now };
  const live = await seenOf(liveSources(topology, readSourcesFile(sourcesFile), reach), topology);

  const writer = await BundleWriter.open(join(folder, 'bundle'));
  const found = await captureSources(TOPOLOGY, { start, now }, { writer, config, signal: never });
  if (found === undefined) throw new Error('nothing was captured');
  await writer.incident({ title: 'x', message: 'x', ...framed(found.frame) });
  await writer.topology(TOPOLOGY);
  const text = await readFile(join(writer.folder, 'topology.yaml'), 'utf8');
  const recording = { id: 'r', kind: 'recording', incident: 'bundle', provides: ['kubernetes'] };
  const replayed = nodesOf({ ...(parse(text) as Record<string, Json>), sources: [recording] });
  const sources = recordedSources(await openBundle(writer.folder), replayed.nodes);
  expect(await seenOf(sources, replayed)).toEqual(live);

  const titled = (title: string) => ({
    issues: expect.arrayContaining([expect.objectContaining({ title })]),
  });
  expect(live.checked).toMatchObject([
    ['orders-of-prod', titled('Deployment orders has 0 of 1 replicas ready')],
    ['orders-of-stage', titled('Deployment orders does not exist')],
    ['elsewhere', 'the namespace payments is not read: its source lists shop'],
    ['all-of-stage', { status: 'ok', issues: [] }],
  ]);
});
