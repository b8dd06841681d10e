import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { startLokiReplay } from '../../../test/support/loki-replay.js';
import { all, T0 } from '../../../test/support/source-compliance.js';
import { startTempoReplay } from '../../../test/support/trace-replays.js';
import { loadConfig } from '../../config/load-config.js';
import type { LogRecord, Span } from '../../domain/engine/records.js';
import type { TopologyNode } from '../../domain/topology/topology.js';
import { openBundle } from '../../sources/recording/bundle.js';
import { recordedSources } from '../../sources/recording/recorded-sources.js';
import { BundleWriter } from './bundle-writer.js';
import { captureSources, framed } from './capture-sources.js';

const HOUR = 3_600_000;
const never = new AbortController().signal;

const LINE: LogRecord = {
  ...{ at: T0 + HOUR - 1_000, severity: 'error', body: 'cannot reach cart' },
  ...{ labels: { service: 'shop' }, traceId: 'aa', spanId: '1' },
};
const SPAN: Span = {
  ...{ traceId: 'aa', spanId: '1', node: 'shop', name: 'GET /cart', start: T0 + HOUR - 2_000 },
  ...{ durationMs: 250, error: 'timed out', attributes: { 'http.route': '/cart' } },
};

test('a capture of logs and traces is read back as they were', async () => {
  const [loki, tempo] = [await startLokiReplay([LINE]), await startTempoReplay([SPAN])];
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
    ...{ id: 1, name: 'Shop' },
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
