import { afterEach, describe, expect, test } from '@jest/globals';
import { anyEgress } from '../../../test/support/any-egress.js';
import {
  brokenNamespace,
  healthyNamespace,
  KUBERNETES_TOKEN,
  startKubernetesReplay,
  type KubernetesItem,
  type KubernetesReplay,
  type KubernetesState,
} from '../../../test/support/sources/kubernetes-replay.js';
import { testCa } from '../../../test/support/loopback.js';
import { all } from '../../../test/support/sources/source-compliance.js';
import { analyzeKubernetes } from '../../domain/kubernetes/analyze.js';
import { checkSource } from '../live/check-source.js';
import { liveSources } from '../live/live-sources.js';
import { LivePodLogs } from './kubernetes-sources.js';
import { LiveCluster } from './live-cluster.js';
import type { ListedKubernetes } from '../live/sources-file.js';

const NOW = Date.parse('2026-11-22T13:04:00Z');
const live = new AbortController().signal;
const WINDOW = { window: { from: 0, to: NOW } };

let replay: KubernetesReplay | undefined;
afterEach(async () => {
  await replay?.close();
  replay = undefined;
});

const reach = {
  egress: anyEgress,
  secretOf: (name: string) =>
    name === 'TOKEN' ? KUBERNETES_TOKEN : name === 'CA' ? testCa() : 'x',
};
const listedAt = (endpoint: string, token = '${env:TOKEN}'): ListedKubernetes => ({
  id: 'k8s',
  kind: 'kubernetes',
  namespaces: ['shop'],
  endpoint,
  auth: { bearer: token },
  ca: '${env:CA}',
});

/** The sources of a topology whose nodes select these workloads. */
async function sourcesOf(
  state: KubernetesState,
  selectors: Record<string, string> = { cluster: '*' },
  logs: Record<string, string> = {},
) {
  replay = await startKubernetesReplay(state, logs);
  const nodes = Object.entries(selectors).map(([id, selector]) => ({
    id,
    name: id,
    kind: 'workload',
    dependsOn: [],
    attributes: {},
    in: { k8s: selector },
  }));
  const sources = [{ id: 'k8s', kind: 'kubernetes' as const, provides: [] }];
  const { kubernetes, ...others } = liveSources({ nodes, sources }, [listedAt(replay.url)], {
    ...reach,
    now: NOW,
  });
  const [cluster] = kubernetes;
  if (cluster === undefined) throw new Error('no cluster');
  return { ...others, kubernetes: cluster };
}

/** Lists of so many objects of one kind. */
const stateOf = (key: string, kind: string, items: KubernetesItem[]): KubernetesState =>
  new Map([...healthyNamespace(), [key, { kind, items }]]);

describe('objects of a live cluster', () => {
  const findingsIn = async (state: KubernetesState) => {
    const { kubernetes } = await sourcesOf(state);
    const objects = await all(kubernetes.objects(live));
    return analyzeKubernetes(objects, NOW, (await kubernetes.lists(live)).kinds);
  };

  test('show the 28 faults of the broken namespace', async () => {
    expect(await findingsIn(brokenNamespace())).toHaveLength(28);
  });

  test('show no fault of a healthy one', async () => {
    expect(await findingsIn(healthyNamespace())).toEqual([]);
  });

  test('are read once, over one connection, in one request for each kind', async () => {
    const { kubernetes, changes, logs } = await sourcesOf(brokenNamespace());
    await all(kubernetes.objects(live));
    await kubernetes.lists(live);
    await all(changes.changes(WINDOW, live));
    expect(replay?.connections()).toBe(1);
    const lists = replay?.asked.length;
    expect(lists).toBeLessThan(25);
    await all(logs.records(WINDOW, live));
    expect(replay?.connections()).toBe(2);
    expect((replay?.asked.length ?? 0) - (lists ?? 0)).toBeLessThan(10);
  });

  test('are read page by page', async () => {
    const items = Array.from({ length: 1_200 }, (_, i) => ({
      metadata: { name: `quota-${i}`, namespace: 'shop' },
    }));
    const { kubernetes } = await sourcesOf(
      stateOf('v1 resourcequotas', 'ResourceQuotaList', items),
    );
    const objects = await all(kubernetes.objects(live));
    expect(objects.filter(({ kind }) => kind === 'ResourceQuota')).toHaveLength(1_200);
  });

  test('of more than 2 MiB are left off, and the reading says so', async () => {
    const items = Array.from({ length: 40 }, (_, i) => ({
      metadata: { name: `map-${i}`, namespace: 'shop' },
      data: { text: 'x'.repeat(40_000) },
    }));
    const half = { kind: 'ConfigMapList', items };
    const state = new Map([
      ...stateOf('v1 events', 'EventList', items),
      ['v1 configmaps', half] as const,
    ]);
    const { kubernetes } = await sourcesOf(state);
    expect(await kubernetes.lists(live)).toMatchObject({ incomplete: true });
  });

  test('hold no values of config maps and variables', async () => {
    const secret = 'hunter2-hunter2';
    const pod = { spec: { containers: [{ name: 'c', env: [{ name: 'A', value: secret }] }] } };
    const map = { metadata: { name: 'm', namespace: 'shop' }, data: { a: secret } };
    const metadata = { name: 'd', namespace: 'shop', managedFields: [{ secret }] };
    const state = stateOf('v1 configmaps', 'ConfigMapList', [map]);
    state.set('apps/v1 deployments', {
      kind: 'DeploymentList',
      items: [{ metadata, spec: { template: pod } }],
    });
    const { kubernetes } = await sourcesOf(state);
    const objects = await all(kubernetes.objects(live));
    expect(JSON.stringify(objects)).not.toContain(secret);
    expect(objects.find(({ name }) => name === 'm')?.object['data']).toEqual({ a: '' });
  });

  test('that may not be listed are refused, not missing', async () => {
    const { kubernetes } = await sourcesOf(brokenNamespace());
    replay?.forbid('nodes', 'ingressclasses', 'services');
    const objects = await all(kubernetes.objects(live));
    const { refused, kinds } = await kubernetes.lists(live);
    expect(refused).toEqual(['Service', 'IngressClass', 'Node']);
    const titles = analyzeKubernetes(objects, NOW, kinds).map(({ title }) => title);
    expect(titles.filter((title) => /(?:service|class \w+) .*does not exist/.test(title))).toEqual([
      'has no volume: its storage class nope does not exist',
    ]);
  });

  test('are refused as a whole where nothing may be listed', async () => {
    const { kubernetes } = await sourcesOf(new Map());
    replay?.forbid('pods');
    await expect(kubernetes.lists(live)).rejects.toMatchObject({ failure: 'refused' });
  });
});

describe('logs of pods', () => {
  const LOGS = {
    'crash c previous': '2026-11-22T13:00:01Z ERROR cannot allocate\n',
    'crash c': '2026-11-22T13:03:00Z starting\n',
  };

  test('have the lines of the former life of a container that was restarted', async () => {
    const { logs } = await sourcesOf(brokenNamespace(), { crash: 'pod/crash' }, LOGS);
    const records = await all(logs.records({ node: 'crash', ...WINDOW }, live));
    expect(records.map(({ body, severity, node }) => [node, severity, body])).toEqual([
      ['crash', 'ERROR', 'ERROR cannot allocate'],
      ['crash', '', 'starting'],
    ]);
  });

  test('of a container that has not started are none', async () => {
    const { logs } = await sourcesOf(brokenNamespace(), { orders: 'deployment/orders' });
    expect(await all(logs.records(WINDOW, live))).toEqual([]);
  });

  test('of a node whose logs another source has are not read', async () => {
    const { logs } = await sourcesOf(brokenNamespace(), { crash: 'pod/crash' }, LOGS);
    const listed = listedAt(replay?.url ?? '');
    const selectors = new Map([['crash', 'pod/crash']]);
    const cluster = new LiveCluster(listed, reach, selectors);
    expect(await all(new LivePodLogs([cluster], new Set(['crash'])).records(WINDOW, live))).toEqual(
      [],
    );
    expect(await all(logs.records(WINDOW, live))).not.toEqual([]);
  });

  test('that may not be read are refused', async () => {
    const { logs } = await sourcesOf(brokenNamespace(), { crash: 'pod/crash' }, LOGS);
    replay?.forbid('pods/log');
    await expect(all(logs.records(WINDOW, live))).rejects.toMatchObject({ failure: 'refused' });
  });
});

describe('rollouts', () => {
  test('are the changes of the node that selects the deployment', async () => {
    const { changes } = await sourcesOf(brokenNamespace(), { shop: 'deployment/api' });
    expect(await all(changes.changes({ node: 'shop', ...WINDOW }, live))).toMatchObject([
      { kind: 'deploy', node: 'shop', id: 'deployment/api@1' },
    ]);
    expect(await all(changes.changes({ node: 'other', ...WINDOW }, live))).toEqual([]);
  });
});

describe('checkSource', () => {
  const check = async (listed: (url: string) => ListedKubernetes) => {
    replay ??= await startKubernetesReplay(brokenNamespace());
    return checkSource(listed(replay.url), reach, live);
  };

  test('lists one object of each kind, and names what may not be listed', async () => {
    expect(await check(listedAt)).toMatchObject({ state: 'ok', detail: '' });
    replay?.forbid('nodes');
    expect(await check(listedAt)).toMatchObject({
      state: 'ok',
      detail: expect.stringContaining('may not list Node') as unknown,
    });
    replay?.forbid('pods/log');
    expect(await check(listedAt)).toMatchObject({
      state: 'ok',
      detail: expect.stringContaining('may not read logs of pods (pods/log) in shop') as unknown,
    });
  });

  test('distinguishes a wrong token from an unknown authority', async () => {
    expect(await check((url) => listedAt(url, '${env:WRONG}'))).toMatchObject({ state: 'refused' });
    const { ca: _, ...untrusted } = listedAt(replay?.url ?? '');
    expect(await check(() => untrusted)).toMatchObject({
      state: 'unreachable',
      detail: expect.stringMatching(/certificate|issuer/) as unknown,
    });
  });
});
