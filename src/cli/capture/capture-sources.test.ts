import { mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { anyEgress } from '../../../test/support/any-egress.js';
import { GitRepositoryFolder, hasGit } from '../../../test/support/programs/git-repository.js';
import { startLokiReplay } from '../../../test/support/sources/loki-replay.js';
import { all, T0 } from '../../../test/support/sources/source-compliance.js';
import { startTempoReplay } from '../../../test/support/sources/trace-replays.js';
import { loadConfig } from '../../config/load-config.js';
import type { LogRecord, Span } from '../../domain/telemetry/records.js';
import type { TopologyNode } from '../../domain/topology/topology.js';
import { redactSecrets } from '../../lib/redact-secrets.js';
import { parseTopology } from '../../domain/topology/parse-topology.js';
import { liveSources } from '../../sources/live/live-sources.js';
import { readSourcesFile } from '../../sources/live/sources-file.js';
import { openBundle } from '../../sources/recording/bundle.js';
import { recordedSources } from '../../sources/recording/recorded-sources.js';
import { BundleWriter } from './bundle-writer.js';
import { captureSources, framed } from './capture-sources.js';

const HOUR = 3_600_000;
const never = new AbortController().signal;

const LINE: LogRecord = {
  at: T0 + HOUR - 1_000,
  severity: 'error',
  body: 'cannot reach cart',
  // A label that names a service, which is no node.
  labels: { service: 'shop', 'service.name': 'shop-api' },
  traceId: 'aa',
  spanId: '1',
};
const SPAN: Span = {
  traceId: 'aa',
  spanId: '1',
  node: 'shop',
  name: 'GET /cart',
  start: T0 + HOUR - 2_000,
  durationMs: 250,
  error: 'timed out',
  attributes: { 'http.route': '/cart' },
};

test('a capture of logs and traces is read back as they were', async () => {
  const loki = await startLokiReplay([LINE]);
  const tempo = await startTempoReplay([SPAN]);
  const folder = await mkdtemp(join(tmpdir(), 'capture-'));
  const sourcesFile = join(folder, 'sources.yaml');
  await writeFile(
    sourcesFile,
    JSON.stringify({
      sources: [
        { id: 'logs', kind: 'loki', endpoint: loki.url },
        { id: 'traces', kind: 'tempo', endpoint: tempo.url },
      ],
    }),
  );
  const node = { id: 'orders', name: 'Orders', kind: 'service', endpoint: 'http://127.0.0.1:1' };
  const topology = {
    id: 1,
    name: 'Shop',
    sources: ['loki', 'tempo'].map((kind) => ({ id: kind === 'loki' ? 'logs' : 'traces', kind })),
    nodes: [{ ...node, in: { logs: '{service="shop"}', traces: 'shop' } }],
  };
  const writer = await BundleWriter.open(join(folder, 'bundle'));
  const config = loadConfig({ SOURCES_FILE: sourcesFile });
  const found = await captureSources(
    topology,
    { start: T0, now: T0 + HOUR },
    { writer, config, signal: never },
  );
  await Promise.all([loki.close(), tempo.close()]);
  expect(found?.captured).toEqual({ 'log lines': 1, spans: 1 });
  if (found === undefined) throw new Error('nothing was captured');
  await writer.incident({ title: 'x', message: 'x', ...framed(found.frame) });
  await writer.topology(topology);
  const nodes = [{ ...node, dependsOn: [], attributes: {} } as TopologyNode];
  const recorded = recordedSources(await openBundle(writer.folder), nodes);
  const window = { from: 0, to: T0 + HOUR };
  expect(await all(recorded.traces.spans({ window }, never))).toEqual([
    { ...SPAN, node: 'orders' },
  ]);
  const logs = recorded.logs.records({ window }, never);
  expect(logs).toMatchObject({ coverage: 'partial' });
  expect(await all(logs)).toMatchObject([{ ...LINE, node: 'orders', labels: expect.anything() }]);
});

test('what one of two sources has of a node is captured, and a replay names the other', async () => {
  const loki = await startLokiReplay([LINE]);
  const folder = await mkdtemp(join(tmpdir(), 'capture-'));
  const sourcesFile = join(folder, 'sources.yaml');
  const sources = [
    { id: 'logs', kind: 'loki', endpoint: loki.url },
    { id: 'file', kind: 'logfile', path: join(folder, 'no.log') },
  ];
  await writeFile(sourcesFile, JSON.stringify({ sources }));
  const node = { id: 'orders', name: 'Orders', kind: 'service', endpoint: 'http://127.0.0.1:1' };
  const topology = {
    id: 1,
    name: 'Shop',
    sources: sources.map(({ id, kind }) => ({ id, kind })),
    nodes: [{ ...node, in: { logs: '{service="shop"}', file: '*' } }],
  };
  const writer = await BundleWriter.open(join(folder, 'bundle'));
  const given = { writer, config: loadConfig({ SOURCES_FILE: sourcesFile }), signal: never };
  const found = await captureSources(topology, { start: T0, now: T0 + HOUR }, given);
  await loki.close();
  expect(found?.captured).toEqual({ 'log lines': 1 });
  if (found === undefined) throw new Error('nothing was captured');
  const { unread } = found;
  await writer.incident({ title: 'x', message: 'x', ...framed(found.frame), unread });
  await writer.topology(topology);
  const nodes = [{ ...node, dependsOn: [], attributes: {} } as TopologyNode];
  const recorded = recordedSources(await openBundle(writer.folder), nodes);
  const logs = recorded.logs.records({ window: { from: 0, to: T0 + HOUR } }, never);
  const bodies: string[] = [];
  const reading = (async () => {
    if (logs.kind === 'records') for await (const { body } of logs.records) bodies.push(body);
  })();
  await expect(reading).rejects.toMatchObject({
    message: expect.stringMatching(/^orders: source file: /) as unknown,
  });
  expect(bodies).toEqual([LINE.body]);
});

test('a source that cannot be read keeps no other from being captured, and leaves no empty file', async () => {
  const loki = await startLokiReplay([LINE]);
  const tempo = await startTempoReplay([SPAN]);
  await tempo.close();
  const folder = await mkdtemp(join(tmpdir(), 'capture-'));
  const sourcesFile = join(folder, 'sources.yaml');
  const sources = [
    { id: 'logs', kind: 'loki', endpoint: loki.url },
    { id: 'traces', kind: 'tempo', endpoint: tempo.url },
  ];
  await writeFile(sourcesFile, JSON.stringify({ sources }));
  const topology = {
    id: 1,
    name: 'Shop',
    sources: sources.map(({ id, kind }) => ({ id, kind })),
    nodes: [
      {
        id: 'orders',
        name: 'Orders',
        kind: 'workload',
        in: { logs: '{service="shop"}', traces: 'shop' },
      },
    ],
  };
  const writer = await BundleWriter.open(join(folder, 'bundle'));
  const given = { writer, config: loadConfig({ SOURCES_FILE: sourcesFile }), signal: never };
  const found = await captureSources(topology, { start: T0, now: T0 + HOUR }, given);
  await loki.close();
  expect(found?.captured).toEqual({ 'log lines': 1 });
  expect(found?.missing).toEqual([expect.stringMatching(/^spans: orders: .*ECONNREFUSED/)]);
  expect(await readdir(writer.folder)).not.toContain('traces');
});

if (hasGit())
  test('a capture of a repository is read back as it was, without credentials', async () => {
    const repository = new GitRepositoryFolder();
    repository.commit(T0, 'Begin', { 'pool.yaml': 'size: 10' });
    repository.commit(T0 + 1_000, 'Shrink the pool', { 'pool.yaml': 'size: 1' });
    repository.commit(T0 + 2_000, 'Sign in', { '.env': 'PASSWORD=correct-horse-battery' });
    repository.at(T0 + 3_000, 'tag', '--annotate', '--message=Go live', 'deploy-7');
    const folder = await mkdtemp(join(tmpdir(), 'capture-'));
    const sourcesFile = join(folder, 'sources.yaml');
    const listed = { id: 'code', kind: 'git', path: repository.path };
    await writeFile(sourcesFile, JSON.stringify({ sources: [listed] }));
    const config = loadConfig({ SOURCES_FILE: sourcesFile });
    const node = { id: 'orders', name: 'Orders', kind: 'service', endpoint: 'http://127.0.0.1:1' };
    const topology = {
      id: 1,
      name: 'Shop',
      sources: [{ id: 'code', kind: 'git' }],
      nodes: [{ ...node, in: { code: '*' } }],
    };
    const writer = await BundleWriter.open(join(folder, 'bundle'));
    const times = { start: T0, now: T0 + HOUR };
    const found = await captureSources(topology, times, { writer, config, signal: never });
    expect(found?.captured).toEqual({ changes: 4 });
    if (found === undefined) throw new Error('nothing was captured');
    await writer.incident({ title: 'x', message: 'x', ...framed(found.frame) });
    await writer.topology(topology);
    const parsed = parseTopology(topology, [{ name: 'look', appliesTo: () => true }]);
    if ('faults' in parsed) throw new Error('the topology has faults');
    const { nodes } = parsed.topology;
    const given = { egress: anyEgress, secretOf: () => undefined, start: T0, now: T0 + HOUR };
    const live = liveSources(parsed.topology, readSourcesFile(sourcesFile), given);
    const window = { from: 0, to: T0 + HOUR };
    const seen = await all(live.changes.changes({ window }, never));
    repository.remove();
    const recorded = recordedSources(await openBundle(writer.folder), nodes);
    const replayed = await all(recorded.changes.changes({ window }, never));
    expect(JSON.stringify(replayed)).not.toContain('correct-horse-battery');
    const hidden = seen.map((change) => ({
      ...change,
      ...(change.diff !== undefined && { diff: redactSecrets(change.diff) }),
    }));
    expect(replayed.toSorted((a, b) => b.at - a.at)).toEqual(hidden);
  });
