import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Loopback, nodeOf } from '../../test/support/loopback.js';
import type { Topology, TopologyNode } from '../domain/topology/topology.js';
import { DEFAULT_TENANT } from '../domain/tenant.js';
import { SourceError } from '../sources/http/source-error.js';
import type { ListedServer } from '../sources/live/sources-file.js';
import { liveSources } from '../sources/live/live-sources.js';
import { until } from '../../test/support/until.js';
import { EgressPolicy } from './egress/egress-policy.js';
import { LocalConnectionLimiter } from './limits/local-connection-limiter.js';
import { ProbePlaces } from './limits/probe-places.js';
import { PROBE_POLICY } from './probe-policy.js';
import { slowIssue, toolResult } from './result.js';
import type { Tool } from './tool.js';
import { alertmanagerAlerts } from './alertmanager-alerts/alertmanager-alerts.js';
import { dnsLookup } from './dns-lookup/dns-lookup.js';
import { elasticsearchInspect } from './elasticsearch-inspect/elasticsearch-inspect.js';
import { httpProbe } from './http-probe/http-probe.js';
import { kubernetesCheck } from './kubernetes-check/kubernetes-check.js';
import { kafkaInspect } from './kafka-inspect/kafka-inspect.js';
import { logPatterns } from './log-patterns/log-patterns.js';
import { metricsCheck } from './metrics-check/metrics-check.js';
import { nginxStatus } from './nginx-status/nginx-status.js';
import { mysqlInspect } from './mysql-inspect/mysql-inspect.js';
import { postgresInspect } from './postgres-inspect/postgres-inspect.js';
import { prometheusMetrics } from './prometheus-metrics/prometheus-metrics.js';
import { rabbitmqInspect } from './rabbitmq-inspect/rabbitmq-inspect.js';
import { redisInspect } from './redis-inspect/redis-inspect.js';
import { tcpProbe } from './tcp-probe/tcp-probe.js';
import { tlsCertificate } from './tls-certificate/tls-certificate.js';
import { traceSearch } from './trace-search/trace-search.js';
import { ToolRegistry } from './tool-registry.js';

const loopback = new Loopback();
let port = 0;
beforeAll(async () => {
  port = await loopback.open(createServer());
});
afterAll(() => loopback.close());

class Limiter extends LocalConnectionLimiter {
  constructor(override readonly exchange: LocalConnectionLimiter['exchange']) {
    super();
  }
}

const QUARANTINED = new Limiter(({ wanted }) =>
  Promise.resolve({ admissions: wanted.map(() => ({ kind: 'quarantined' })) }),
);
const BROKEN = new Limiter(() =>
  Promise.reject(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })),
);
const DENYING = EgressPolicy.of(undefined, '127.0.0.0/8', []);

const KINDS = [
  ...([
    'kubernetes',
    'prometheus',
    'loki',
    'elasticsearch',
    'tempo',
    'jaeger',
    'rabbitmq',
    'elasticsearch-cluster',
    'alertmanager',
  ] as const),
];
const TELEMETRY = ['metrics', 'logs', 'traces', 'kubernetes'] as const;

/** Looks at a node of this machine by the registry, as an agent does. */
async function look(
  tool: Tool,
  node: TopologyNode,
  limiter = new LocalConnectionLimiter(),
  { egress = new EgressPolicy(), limitMs = 30_000 } = {},
) {
  const topology: Topology = {
    id: 1,
    name: 'Shop',
    nodes: [node],
    teams: [],
    globalSupervisor: { agentId: '1', name: 'Head' },
    sources: KINDS.map((kind) => ({ id: kind, kind, provides: [...TELEMETRY] })),
  };
  const endpoint = `http://127.0.0.1:${port}`;
  const listed: ListedServer[] = [
    { id: 'kubernetes', kind: 'kubernetes', endpoint, namespaces: ['default'] },
    { id: 'prometheus', kind: 'prometheus', endpoint },
    { id: 'loki', kind: 'loki', endpoint },
    { id: 'elasticsearch', kind: 'elasticsearch', endpoint, indices: 'logs-*' },
    { id: 'tempo', kind: 'tempo', endpoint },
    { id: 'jaeger', kind: 'jaeger', endpoint },
    { id: 'rabbitmq', kind: 'rabbitmq', endpoint },
    { id: 'elasticsearch-cluster', kind: 'elasticsearch-cluster', endpoint },
    { id: 'alertmanager', kind: 'alertmanager', endpoint },
  ];
  const registry = new ToolRegistry(
    new ProbePlaces(limiter),
    { ...PROBE_POLICY, dnsPorts: [port], egress },
    {
      of: (given, through) =>
        Promise.resolve(
          liveSources(given, listed, {
            egress: through,
            secretOf: () => undefined,
            now: Date.now(),
          }),
        ),
    },
  );
  const signal = new AbortController().signal;
  return registry.run(tool, tool.argsFor(node), {
    topology,
    node,
    problem: '',
    signal,
    runId: 'run',
    operation: 'run.t1',
    tenant: 'default',
    limitMs,
  });
}

test('M3: two names of one host are counted by the address that both stand for', async () => {
  const counted: (string | undefined)[] = [];
  const places = new LocalConnectionLimiter();
  const limiter = new Limiter((request) => {
    counted.push(...request.wanted.map(({ target }) => target.address));
    return places.exchange(request);
  });
  for (const host of ['localhost', '127.0.0.1'])
    await look(tcpProbe, nodeOf('tcp', `${host}:${port}`), limiter);
  expect(new Set(counted)).toEqual(new Set(['127.0.0.1']));
});

describe('a probe that this service refuses or cannot make', () => {
  const kinds: [Tool, () => TopologyNode][] = [
    [tcpProbe, () => nodeOf('tcp', `127.0.0.1:${port}`)],
    [tlsCertificate, () => nodeOf('tls', `127.0.0.1:${port}`)],
    [dnsLookup, () => nodeOf('dns', 'shop.example', { server: `127.0.0.1:${port}` })],
    [httpProbe, () => nodeOf('service', `http://127.0.0.1:${port}/`)],
    [
      nginxStatus,
      () => nodeOf('service', `http://127.0.0.1:${port}/`, { nginxStatusPath: '/status' }),
    ],
    [prometheusMetrics, () => nodeOf('prometheus', `http://127.0.0.1:${port}/metrics`)],
    [redisInspect, () => nodeOf('redis', `redis://127.0.0.1:${port}`)],
    [mysqlInspect, () => nodeOf('mysql', `mysql://127.0.0.1:${port}/shop`)],
    [postgresInspect, () => nodeOf('postgres', `postgres://127.0.0.1:${port}/shop`)],
    [
      rabbitmqInspect,
      () => ({ ...nodeOf('rabbitmq', `127.0.0.1:${port}`), in: { rabbitmq: '*' } }),
    ],
    [kafkaInspect, () => nodeOf('kafka', `127.0.0.1:${port}`)],
    [
      elasticsearchInspect,
      () => ({ ...nodeOf('elasticsearch'), in: { 'elasticsearch-cluster': '*' } }),
    ],
  ];

  const tools = kinds.map(([tool, node]) => [tool.name, tool, node] as const);

  test.each(tools)('is no measurement of a quarantined target: %s', async (_, tool, node) => {
    await expect(look(tool, node(), QUARANTINED)).rejects.toMatchObject({
      code: 'NODE_QUARANTINED',
    });
  });

  test.each(tools)('is no measurement where egress is denied: %s', async (_, tool, node) => {
    await expect(look(tool, node(), undefined, { egress: DENYING })).rejects.toMatchObject({
      code: 'EGRESS_DENIED',
    });
  });

  test.each(tools)('is no measurement while the limiter fails: %s', async (_, tool, node) => {
    await expect(look(tool, node(), BROKEN)).rejects.toThrow(
      'this service could not count the connections to the host: connect ECONNREFUSED',
    );
  });

  test.each([
    ['prometheus', metricsCheck],
    ['loki', logPatterns],
    ['elasticsearch', logPatterns],
    ['tempo', traceSearch],
    ['jaeger', traceSearch],
    ['kubernetes', kubernetesCheck],
    ['alertmanager', alertmanagerAlerts],
  ])('is no measurement of a node whose telemetry is quarantined: %s', async (kind, tool) => {
    const node = { ...nodeOf('service'), in: { [kind]: 'shop' } };
    for (const limiter of [QUARANTINED, BROKEN])
      await expect(look(tool, node, limiter)).rejects.toBeInstanceOf(SourceError);
    await expect(look(tool, node, undefined, { egress: DENYING })).rejects.toBeInstanceOf(
      SourceError,
    );
  });

  test('is no measurement while the host is full of other probes', async () => {
    const limiter = new LocalConnectionLimiter({ atOnce: 1, perSecond: 1_000, deaths: 2 });
    const node = nodeOf('tcp', `127.0.0.1:${port}`);
    const other = { host: '127.0.0.1', port, tool: 'tcp_probe', address: '127.0.0.1' };
    const leave = await new ProbePlaces(limiter).enter(other, new AbortController().signal);
    await expect(look(tcpProbe, node, limiter, { limitMs: 200 })).rejects.toThrow(
      'found no place among its connections to 127.0.0.1 within 0.2 s',
    );
    await leave();
  });

  test('is no measurement of a tool that takes the refusal for an answer', async () => {
    const node = nodeOf('tcp', `127.0.0.1:${port}`);
    const careless: Tool = {
      ...tcpProbe,
      run: async (_, context) => {
        await context.enter('127.0.0.1', port).catch(() => undefined);
        return { status: 'failed', summary: 'is down', measurements: {}, issues: [] };
      },
    };
    await expect(look(careless, node, QUARANTINED)).rejects.toMatchObject({
      code: 'NODE_QUARANTINED',
    });
    await expect(look(careless, node)).resolves.toMatchObject({ status: 'failed' });
  });
});

test('looks again at what was slow while this process was late, and says that it is not reliable', async () => {
  let looks = 0;
  const slow: Tool = {
    ...tcpProbe,
    run: () => {
      looks += 1;
      const until = performance.now() + 250;
      while (performance.now() < until);
      return Promise.resolve(toolResult('slow', {}, slowIssue('answers', 1_150, 1_000, 'It took')));
    },
  };
  await expect(look(slow, nodeOf('tcp', `127.0.0.1:${port}`))).resolves.toMatchObject({
    status: 'ok',
    unreliable: true,
    issues: [{ severity: 'info', duration_ms: 1_150 }],
  });
  expect(looks).toBe(2);
});

test('probes wait for their share of 96 MiB, and give it back when they fail', async () => {
  const registry = new ToolRegistry();
  const node = nodeOf('tcp', '127.0.0.1:1');
  const signal = new AbortController().signal;
  const done: (() => void)[] = [];
  /** Begins a probe that holds so many MiB until it is ended. */
  const begin = (mebibytes: number) =>
    registry.run(
      {
        ...tcpProbe,
        holds: mebibytes * 2 ** 20,
        run: () =>
          new Promise((_, reject) => done.push(() => reject(new Error('the probe has ended')))),
      },
      tcpProbe.argsFor(node),
      {
        topology: { nodes: [node] } as unknown as Topology,
        node,
        signal,
        problem: '',
        runId: 'run',
        operation: 'run.t1',
        tenant: DEFAULT_TENANT,
        limitMs: 30_000,
      },
    );
  const running = [40, 40, 40, 16].map((mebibytes) =>
    expect(begin(mebibytes)).rejects.toThrow('the probe has ended'),
  );
  await until('the first two', () => done.length >= 2);
  // A third probe that did not wait would have begun by now.
  await new Promise((resolve) => setImmediate(resolve));
  expect(done).toHaveLength(2);
  done[0]?.();
  await until('the two that wait', () => done.length >= 4);
  done.forEach((end) => end());
  await Promise.all(running);
});
