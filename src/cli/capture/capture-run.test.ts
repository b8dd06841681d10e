import { existsSync } from 'node:fs';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import type { Client, NamedEvent, RunRecord, StoredTopology } from '../../client/index.js';
import { parseTopology } from '../../domain/topology/parse-topology.js';
import { BundleWriter } from './bundle-writer.js';
import { captureRun } from './capture-run.js';

let folder = '';
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'capture-')), 'shop-down');
});

const event = (name: string, data: object) => ({ name, data }) as unknown as NamedEvent;

/** A service that knows one run with these events. */
function serviceWith(
  events: NamedEvent[],
  topology: object,
): Pick<Client, 'show' | 'topology' | 'follow'> {
  const run = {
    topologyId: 7,
    userMessage: 'orders fail',
    createdAt: '2026-01-01T00:00:00Z',
    startedAt: '2026-01-01T00:00:01Z',
    endedAt: '2026-01-01T00:00:09Z',
  };
  return {
    show: () => Promise.resolve(run as RunRecord),
    topology: () => Promise.resolve(topology as StoredTopology),
    async *follow() {
      yield* events;
    },
  };
}

const TOPOLOGY = {
  id: 7,
  name: 'Shop',
  version: 3,
  createdAt: 'x',
  updatedAt: 'x',
  nodes: [{ id: 'cache', kind: 'redis', endpoint: 'redis://app:***@10.0.0.6:6379' }],
};

const EVENTS = [
  event('llm.tool_call', { tool: 'redis_inspect', args: { node: 'cache' }, tool_call_id: 't1' }),
  event('llm.tool_result', {
    tool: 'redis_inspect',
    tool_call_id: 't1',
    status: 'ok',
    node: 'cache',
    result: { status: 'ok', measurements: { requirepass: 'password=hunter2', clients: 3 } },
  }),
  event('llm.tool_call', { tool: 'tcp_probe', args: { node: 'cache' }, tool_call_id: 't2' }),
  event('llm.tool_result', {
    tool: 'tcp_probe',
    tool_call_id: 't2',
    status: 'timeout',
    node: 'cache',
    result: { error: 'no result within 30 s' },
  }),
  event('llm.tool_result', { tool: 'report', tool_call_id: 't3', status: 'ok', result: {} }),
  event('lifecycle.completed', {}),
];

describe('captureRun', () => {
  test('writes the incident, the topology without passwords and metadata, and the results', async () => {
    await captureRun(serviceWith(EVENTS, TOPOLOGY), 'r', await BundleWriter.open(folder));
    const read = (name: string) => readFile(join(folder, name), 'utf8');
    expect(parse(await read('incident.yaml'))).toEqual({
      schema: 'consilium/incident@1',
      id: 'shop-down',
      title: 'Captured diagnosis of Shop',
      message: 'orders fail',
      start: '2026-01-01T00:00:01Z',
      now: '2026-01-01T00:00:09Z',
      coverage: { logs: 'partial' },
    });
    expect(parse(await read('topology.yaml'))).toEqual({
      id: 7,
      name: 'Shop',
      nodes: [{ id: 'cache', kind: 'redis', endpoint: 'redis://app:redacted@10.0.0.6:6379' }],
    });
    const lines = (await read('recordings/probes.ndjson')).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      {
        tool: 'redis_inspect',
        args: { node: 'cache' },
        status: 'success',
        output: '{"status":"ok","measurements":{"requirepass":"password=***","clients":3}}',
      },
      {
        tool: 'tcp_probe',
        args: { node: 'cache' },
        status: 'timeout',
        output: 'no result within 30 s',
      },
    ]);
  });

  test.each([
    ['http://app:***@10.0.0.6/health', 'http://app:redacted@10.0.0.6/health'],
    ['http://hunter2@10.0.0.6/health', 'http://redacted@10.0.0.6/health'],
    ['https://10.0.0.6/health?token=***&x=1', 'https://10.0.0.6/health?token=redacted&x=1'],
    ['https://:${env:TOKEN}@10.0.0.6', 'https://:redacted@10.0.0.6'],
  ])('writes %s so that it can be replayed, without the credential', async (shown, written) => {
    const nodes = [{ id: 'a', name: 'A', kind: 'service', endpoint: shown }];
    const writer = await BundleWriter.open(folder);
    await writer.topology({ id: 7, name: 'Shop', nodes });
    const topology: unknown = parse(await readFile(join(folder, 'topology.yaml'), 'utf8'));
    expect(topology).toMatchObject({ nodes: [{ endpoint: written }] });
    expect(parseTopology(topology, [{ name: 'look', appliesTo: () => true }])).toHaveProperty(
      'topology',
    );
  });

  test('says which telemetry of each node was recorded, in place of its selectors', async () => {
    const writer = await BundleWriter.open(folder);
    await writer.topology({
      id: 7,
      name: 'Shop',
      sources: [
        { id: 'logs', kind: 'loki' },
        { id: 'am', kind: 'alertmanager' },
        { id: 'k8s', kind: 'kubernetes' },
      ],
      nodes: [
        { id: 'api', kind: 'service', in: { logs: '{app="api"}', k8s: 'deployment/api' } },
        { id: 'db', kind: 'tcp', in: { am: 'service="db"' } },
        { id: 'cache', kind: 'redis' },
      ],
    });
    const { nodes } = parse(await readFile(join(folder, 'topology.yaml'), 'utf8')) as {
      nodes: object[];
    };
    const recorded = ['logs', 'kubernetes', 'changes'];
    expect(nodes).toEqual([
      {
        id: 'api',
        kind: 'service',
        attributes: { kubernetes: 'deployment/api', cluster: 'k8s', recorded },
      },
      { id: 'db', kind: 'tcp', attributes: { alerts: 'service="db"', recorded: [] } },
      { id: 'cache', kind: 'redis', attributes: { recorded: [] } },
    ]);
  });

  test('leaves no folder if the capture is refused or fails', async () => {
    const writer = await BundleWriter.open(join(folder, 'deep', 'shop'));
    expect(existsSync(folder)).toBe(false);
    const metricsOf = async () => {
      await writer.lines('metrics/prometheus.ndjson', []);
      throw new Error('the source is away');
    };
    const captured = captureRun(serviceWith(EVENTS, TOPOLOGY), 'r', writer, metricsOf);
    await expect(captured).rejects.toThrow('the source is away');
    expect(existsSync(writer.folder)).toBe(false);
  });

  test('refuses a name that is none of a bundle', async () => {
    await expect(BundleWriter.open(join(folder, 'a b'))).rejects.toThrow('name of a bundle');
  });
});
