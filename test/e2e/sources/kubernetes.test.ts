import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Report } from '../../../src/domain/diagnosis/finding.js';
import type { RunRecord } from '../../../src/client/index.js';
import { startCommand, startCommandWith } from '../../support/processes/command.js';
import {
  brokenNamespace,
  healthyNamespace,
  KUBERNETES_TOKEN,
  startKubernetesReplay,
  type KubernetesReplay,
} from '../../support/sources/kubernetes-replay.js';
import { testCa } from '../../support/loopback.js';
import { withoutRun } from '../../support/incidents/without-run.js';

const LOGS = { 'crash c previous': '2026-11-22T13:00:01Z ERROR cannot allocate memory\n' };

let folder = '';
let cluster: KubernetesReplay;
let healthy: KubernetesReplay;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'consilium-kubernetes-'));
  cluster = await startKubernetesReplay(brokenNamespace(), LOGS);
  healthy = await startKubernetesReplay(healthyNamespace());
});
afterAll(async () => {
  await cluster.close();
  await healthy.close();
  await rm(folder, { recursive: true });
});

async function diagnose(url: string, selectors: Record<string, string>, ...args: string[]) {
  const file = join(folder, 'shop.json');
  const listed = join(folder, 'sources.yaml');
  const nodes = Object.entries(selectors).map(([id, selector]) => ({
    id,
    name: id,
    kind: 'workload',
    in: { k8s: selector },
  }));
  const topology = { id: 1, name: 'Shop', nodes, sources: [{ id: 'k8s', kind: 'kubernetes' }] };
  await writeFile(file, JSON.stringify(topology));
  await writeFile(join(folder, 'ca.pem'), testCa());
  await writeFile(
    listed,
    `sources:
  - id: k8s
    kind: kubernetes
    endpoint: ${url}
    namespaces: [shop]
    auth: { bearer: '\${env:K8S_TOKEN}' }
    ca: '\${file:${join(folder, 'ca.pem')}}'
`,
  );
  const variables = { SOURCES_FILE: listed, K8S_TOKEN: KUBERNETES_TOKEN, LOG_LEVEL: 'trace' };
  const ended = await startCommandWith(variables, 'src/cli/diagnose.ts', file, '--json', ...args)
    .ended;
  expect(ended.stdout + ended.stderr).not.toContain(KUBERNETES_TOKEN);
  return (JSON.parse(ended.stdout) as RunRecord).report;
}

const inShort = (report: Report | null | undefined) => ({
  verdict: report?.verdict,
  causes: report?.root_causes.map(({ node, title }) => [node, title]),
  findings: report?.findings.map(({ node, severity, title }) => [node, severity, title]).sort(),
  unchecked: report?.unchecked.map(({ node, reason }) => [node, reason]),
});

test('a diagnosis of workloads finds what is wrong with each, and a capture of it gives the same', async () => {
  const bundle = join(folder, 'broken');
  const before = cluster.asked.length;
  const selectors = { orders: 'deployment/orders', crash: 'pod/crash', gone: 'deployment/gone' };
  const report = await diagnose(cluster.url, selectors, '--capture', bundle);
  const titles = report?.findings.map(({ node, title }) => `${node}: ${title}`) ?? [];
  expect(titles).toEqual(
    expect.arrayContaining([
      'orders: Pod orders-764f95c564-l9m5w container orders is in CreateContainerConfigError: its secret orders-db does not exist',
      'gone: Deployment gone does not exist',
      expect.stringMatching(/^crash: Pod crash container c is in CrashLoopBackOff: OOMKilled/),
    ]),
  );
  // One reading for all agents and one for the capture, each of 20 lists, with logs of the three
  // nodes' pods.
  expect(cluster.asked.length - before).toBeLessThan(70);
  const replay = await startCommand('src/cli/diagnose.ts', bundle, '--json').ended;
  const replayed = (JSON.parse(replay.stdout) as RunRecord).report;
  if (!report || !replayed) throw new Error('a diagnosis has no report');
  expect(withoutRun(replayed)).toEqual(withoutRun(report));
  const lists = await readdir(join(bundle, 'kubernetes'));
  expect(lists).toEqual(expect.arrayContaining(['Pod.json', 'IngressClass.json']));
  expect(await readFile(join(bundle, 'logs/lines.ndjson'), 'utf8')).toContain('cannot allocate');
});

test('a diagnosis of a whole cluster has all that is wrong with it, and nothing of one that is well', async () => {
  const report = await diagnose(cluster.url, { shop: '*' });
  const checked = report?.citations?.find(({ tool }) => tool === 'kubernetes_check');
  const found = report?.findings.filter(({ evidence }) => evidence[0] === checked?.sequence);
  // By the clock of this machine the pod of a job failed long ago: only the job is judged.
  expect(found).toHaveLength(27);
  expect(report?.findings).toContainEqual(
    expect.objectContaining({
      severity: 'info',
      title: expect.stringContaining('Job migrate failed'),
    }),
  );
  expect(inShort(await diagnose(healthy.url, { shop: '*' }))).toMatchObject({
    verdict: 'healthy',
    findings: [],
    unchecked: [],
  });
});

test('logs of pods that may not be read leave their nodes unchecked, although the pods are well', async () => {
  const mute = await startKubernetesReplay(healthyNamespace());
  mute.forbid('pods/log');
  const report = await diagnose(mute.url, { api: 'deployment/api' });
  await mute.close();
  expect(inShort(report)).toMatchObject({
    verdict: 'inconclusive',
    causes: [],
    unchecked: [['api', 'FORBIDDEN']],
  });
  expect(report?.unchecked[0]?.detail).toContain('logs of pods (pods/log) may not be read');
});

test('pods that may not be listed leave their nodes unchecked', async () => {
  const selectors = { api: 'deployment/api' };
  expect(await diagnose(healthy.url, selectors)).toMatchObject({ verdict: 'healthy' });
  healthy.forbid('pods');
  expect(inShort(await diagnose(healthy.url, selectors))).toMatchObject({
    verdict: 'inconclusive',
    findings: [['api', 'info', 'the credential may not list Pod']],
    unchecked: [['api', 'FORBIDDEN']],
  });
});
