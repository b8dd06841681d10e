import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Span } from '../../../src/domain/telemetry/records.js';
import {
  always,
  type Broken,
  type BrokenSystem,
  lines,
  MINUTE,
} from '../incidents/broken-system.js';
import { startElasticsearchReplay } from './elasticsearch-replay.js';
import { brokenNamespace, startKubernetesReplay } from './kubernetes-replay.js';
import { closedPort, testCa } from '../loopback.js';
import { startLokiReplay } from './loki-replay.js';
import { type AskedOf, type SourceReplay, startReplay } from './source-replay.js';
import { startJaegerReplay, startTempoReplay } from './trace-replays.js';

const iso = (at: number) => new Date(at).toISOString();

const systemOf = (
  { url, asked, close }: SourceReplay,
  selector: string,
  listed: Record<string, unknown> = {},
): BrokenSystem => ({
  node: { kind: 'workload', selector },
  listed: { endpoint: url, ...listed },
  asked: () => asked.length,
  stop: close,
});

async function brokenLoki(): Promise<BrokenSystem> {
  const labels = { service: 'store' };
  const records = lines(Date.now()).map((line) => ({ ...line, node: 'store', labels }));
  return systemOf(await startLokiReplay(records), '{service="store"}');
}

async function brokenElasticsearch(): Promise<BrokenSystem> {
  const labels = { 'service.name': 'store' };
  const records = lines(Date.now()).map((line) => ({ ...line, node: 'store', labels }));
  return systemOf(await startElasticsearchReplay(records), 'service.name=store');
}

/** A red cluster. */
async function brokenCluster(): Promise<BrokenSystem> {
  const health = {
    cluster_name: 'shop',
    status: 'red',
    timed_out: false,
    number_of_nodes: 1,
    number_of_data_nodes: 1,
    active_shards: 4,
    unassigned_shards: 1,
  };
  const explanation = {
    index: 'orders',
    shard: 0,
    primary: true,
    can_allocate: 'no_valid_shard_copy',
    unassigned_info: { reason: 'NODE_LEFT' },
    allocate_explanation: 'cannot allocate because all found copies are corrupt',
  };
  const replay = await startReplay(({ url }) => {
    if (url.pathname === '/_cluster/health') return health;
    if (url.pathname === '/_cluster/allocation/explain') return explanation;
    return url.pathname.startsWith('/_nodes/stats') ? { nodes: {} } : undefined;
  });
  const { node, ...rest } = systemOf(replay, '*');
  return { ...rest, node: { ...node, kind: 'elasticsearch' } };
}

/** Nine failed requests to the store. */
const spansAt = (now: number): Span[] =>
  Array.from({ length: 9 }, (_, i) => ({
    node: 'store',
    name: 'store order',
    attributes: {},
    traceId: String(i).repeat(32),
    spanId: `${i}`.repeat(16),
    start: now - (i + 1) * MINUTE,
    durationMs: 20,
    error: 'DiskFull: no space left',
  }));

const brokenTempo = async () => systemOf(await startTempoReplay(spansAt(Date.now())), 'store');
const brokenJaeger = async () => systemOf(await startJaegerReplay(spansAt(Date.now())), 'store');

/** A service that is not there, and what was changed twenty minutes ago. */
async function changed(
  answerTo: (asked: AskedOf, at: number) => unknown,
  selector: string,
): Promise<BrokenSystem> {
  const at = Date.now() - 20 * MINUTE;
  const replay = await startReplay((asked) => answerTo(asked, at));
  const endpoint = `http://127.0.0.1:${await closedPort()}`;
  const auth = { bearer: '${env:GITHUB_TOKEN}' };
  const system = systemOf(replay, selector, { auth });
  return { ...system, node: { ...system.node, kind: 'service', endpoint } };
}

const changedOnGithub = () =>
  changed(({ url }, at) => {
    const sha = 'a'.repeat(40);
    if (url.pathname.endsWith('/actions/runs')) return { workflow_runs: [] };
    if (url.pathname.endsWith('/deployments'))
      return [{ id: 7, sha, ref: 'v7', environment: 'production', created_at: iso(at) }];
    const commit = { message: 'Move the store', committer: { date: iso(at - MINUTE) } };
    if (url.pathname.endsWith('/commits')) return [{ sha, author: { login: 'ada' }, commit }];
    return { files: [{ filename: 'store.yaml', patch: '-db: old\n+db: new' }] };
  }, 'acme/store');

const changedByArgocd = () =>
  changed(
    (_, at) => ({
      status: {
        history: [{ id: 3, deployedAt: iso(at), revision: 'b'.repeat(40) }],
        operationState: { phase: 'Failed', message: 'no such image', finishedAt: iso(at) },
      },
    }),
    'store',
  );

const markedInGrafana = () =>
  changed(
    (_, at) => [{ id: 1, time: at, text: 'v7 of the store', tags: ['deploy', 'store'] }],
    'deploy,store',
  );

/** A namespace that is broken in 28 ways. */
async function brokenKubernetes(folder: string): Promise<BrokenSystem> {
  const logs = { 'crash c previous': `${iso(Date.now())} ERROR cannot allocate memory\n` };
  const { url, asked, close } = await startKubernetesReplay(brokenNamespace(), logs);
  const ca = join(folder, 'kubernetes-ca.pem');
  await writeFile(ca, testCa());
  return {
    node: { kind: 'kubernetes', selector: '*' },
    listed: {
      endpoint: url,
      namespaces: ['shop'],
      auth: { bearer: '${env:K8S_TOKEN}' },
      ca: `\${file:${ca}}`,
    },
    asked: () => asked.length,
    stop: close,
  };
}

const there = { isThere: always };
/** Sources of which no server is installed: their APIs, answered from memory. */
export const BROKEN_REPLAYS = {
  loki: { ...there, name: 'loki', start: brokenLoki, finds: /cannot store order/, most: 9 },
  tempo: { ...there, name: 'tempo', start: brokenTempo, finds: /DiskFull|fail/, most: 33 },
  others: [
    {
      ...there,
      name: 'elasticsearch',
      start: brokenElasticsearch,
      finds: /cannot store order/,
      most: 8,
    },
    {
      ...there,
      name: 'elasticsearch-cluster',
      start: brokenCluster,
      finds: /cluster is red/,
      most: 4,
    },
    { ...there, name: 'jaeger', start: brokenJaeger, finds: /DiskFull|fail/, most: 3 },
    { ...there, name: 'github', start: changedOnGithub, finds: /connection refused/, most: 8 },
    { ...there, name: 'argocd', start: changedByArgocd, finds: /connection refused/, most: 1 },
    { ...there, name: 'grafana', start: markedInGrafana, finds: /connection refused/, most: 1 },
    {
      ...there,
      name: 'kubernetes',
      start: brokenKubernetes,
      finds: /CrashLoopBackOff/,
      most: 30,
    },
  ] satisfies Broken[],
};
