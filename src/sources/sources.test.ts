import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import {
  startPrometheusReplay,
  type PrometheusReplay,
} from '../../test/support/sources/prometheus-replay.js';
import { anyEgress as egress } from '../../test/support/any-egress.js';
import { DEFAULT_TENANT as tenant } from '../domain/tenant.js';
import { parseTopology } from '../domain/topology/parse-topology.js';
import type { Topology } from '../domain/topology/topology.js';
import { logLines, writeBundle } from '../../test/support/incidents/write-bundle.js';
import { diagnosticTools } from '../tools/tools.js';
import { Sources } from './sources.js';

const live = new AbortController().signal;

let replay: PrometheusReplay | undefined;
afterEach(async () => {
  await replay?.close();
  replay = undefined;
});

async function sourcesOf(text: string): Promise<Sources> {
  const sourcesFile = join(await mkdtemp(join(tmpdir(), 'sources-')), 'sources.yaml');
  await writeFile(sourcesFile, text);
  return new Sources({ incidentsDir: undefined, sourcesFile, secretOf: () => undefined });
}

test('asks the servers at most once in 30 seconds', async () => {
  replay = await startPrometheusReplay([]);
  const sources = await sourcesOf(
    `sources: [{ id: prom, kind: prometheus, endpoint: '${replay.url}' }]`,
  );
  const at = (seconds: number) => sources.check(egress, live, seconds * 1_000);
  const [first, second] = await Promise.all([at(100), at(101)]);
  expect(first).toEqual([
    { id: 'prom', kind: 'prometheus', endpoint: replay.url, state: 'ok', detail: '' },
  ]);
  expect(second).toBe(first);
  await at(129);
  expect(replay.asked).toHaveLength(1);
  await at(130);
  expect(replay.asked).toHaveLength(2);
});

test('does not start with a file that has faults', async () => {
  await expect(sourcesOf('sources: [')).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
});

test('a bundle may have the topology of live sources: the bundle takes their place', async () => {
  const node = { id: 'shop', name: 'Shop', kind: 'service', attributes: { slowMs: 200 } };
  const topology = {
    id: 1,
    name: 'Example',
    sources: [
      { id: 'prom', kind: 'prometheus' },
      { id: 'k8s', kind: 'kubernetes' },
      { id: 'alerts', kind: 'alertmanager' },
    ],
    nodes: [
      { ...node, in: { prom: 'job="shop"', k8s: 'deployment/shop', alerts: 'app="shop"' } },
      {
        id: 'cart',
        name: 'Cart',
        kind: 'service',
        dependsOn: ['shop'],
        in: { prom: 'job="cart"' },
      },
    ],
  };
  const folder = await writeBundle({
    'topology.yaml': JSON.stringify(topology),
    'logs/l.ndjson': logLines([]),
  });
  const sources = new Sources({
    incidentsDir: dirname(folder),
    sourcesFile: undefined,
    secretOf: () => undefined,
  });
  const made = await sources.topologyOf('example');
  expect(made).toMatchObject({
    sources: [{ kind: 'recording', incident: 'example', provides: ['logs'] }],
    nodes: [
      {
        ...node,
        attributes: { slowMs: 200, kubernetes: 'deployment/shop', alerts: 'app="shop"' },
      },
      { id: 'cart', dependsOn: ['shop'] },
    ],
  });
  expect(parseTopology(made, diagnosticTools)).not.toHaveProperty('faults');
});

test('checks many servers without many listeners at one signal', async () => {
  const listed = Array.from({ length: 20 }, (_, i) => `{ id: s${i}, kind: git, path: /nowhere }`);
  const sources = await sourcesOf(`sources: [${listed.join(', ')}]`);
  const { signal } = new AbortController();
  const add = jest.spyOn(signal, 'addEventListener');
  expect(await sources.check(egress, signal)).toHaveLength(20);
  expect(add).not.toHaveBeenCalled();
});

test('a topology may name only sources that SOURCES_FILE lists, where this process has one', async () => {
  const topology = { sources: [{ id: 'promm', kind: 'prometheus' as const, provides: [] }] };
  const listed = await sourcesOf(
    `sources: [{ id: prom, kind: prometheus, endpoint: 'http://127.0.0.1:9090' }]`,
  );
  expect(listed.faultsIn(topology)).toEqual([
    {
      path: 'sources[0].id',
      message: expect.stringContaining('did you mean "prom"?') as unknown,
    },
  ]);
  const none = new Sources({
    incidentsDir: undefined,
    sourcesFile: undefined,
    secretOf: () => undefined,
  });
  expect(none.faultsIn(topology)).toEqual([]);
});

describe('a bundle that is captured again into its folder', () => {
  const NOON = '2026-01-01T12:00:00Z';
  const nodes = [{ id: 'shop', name: 'shop', kind: 'workload', dependsOn: [], attributes: {} }];
  const topology = {
    id: 1,
    name: 'Example',
    nodes,
    teams: [],
    sources: [{ id: 'recording', kind: 'recording', incident: 'example', provides: ['probes'] }],
  } as unknown as Topology;
  const probe = (summary: string) =>
    `${JSON.stringify({ tool: 'tcp_probe', args: { node: 'shop' }, status: 'ok', output: summary })}\n`;
  const first = { 'recordings/probes.ndjson': probe('the port accepts') };

  async function opened(files: Record<string, string> = first) {
    const folder = await writeBundle(files);
    const incidentsDir = dirname(folder);
    const sources = new Sources({
      incidentsDir,
      sourcesFile: undefined,
      secretOf: () => undefined,
    });
    return { folder, of: (runId: string) => sources.of(topology, egress, { tenant, runId }) };
  }

  async function captureAgain(folder: string, files: Record<string, string>, now = NOON) {
    const alerts = [{ labels: { alertname: 'Down' }, startsAt: '2026-01-01T11:00:00Z' }];
    const again = await writeBundle(
      { ...files, 'alerts.json': JSON.stringify({ alerts }) },
      { now },
    );
    await rm(folder, { recursive: true });
    await rename(again, folder);
  }

  test('is opened anew for the next run', async () => {
    const { folder, of } = await opened();
    const result = async (runId: string) =>
      (await (await of(runId))?.probes?.result('tcp_probe', { node: 'shop' }, live))?.output;
    expect(await result('a')).toBe('the port accepts');
    expect(await of('b')).toBe(await of('a'));
    await captureAgain(folder, { 'recordings/probes.ndjson': probe('nothing listens') });
    expect(await result('c')).toBe('nothing listens');
    const { frame, alerts } = (await of('c')) ?? {};
    expect(frame).toMatchObject({ now: Date.parse(NOON), reportedAt: Date.UTC(2026, 0, 1, 11) });
    expect(alerts).toHaveLength(1);
  });

  test.each([
    ['a record that was changed', 'recordings/probes.ndjson', probe('nothing listens')],
    ['a record that was added', 'logs/l.ndjson', logLines([])],
    ['new alerts', 'alerts.json', '{"alerts":[]}'],
  ])('is not read by a run that has read the earlier one: %s', async (_, name, text) => {
    const { folder, of } = await opened({ ...first, 'logs/other.ndjson': '' });
    await of('a');
    await writeFile(join(folder, name), text);
    await expect(of('a')).rejects.toThrow(
      'the incident bundle example was changed during the run; run the diagnosis again',
    );
    await expect(of('b')).resolves.toBeDefined();
    await expect(of('a')).rejects.toThrow('was changed during the run');
  });
});
