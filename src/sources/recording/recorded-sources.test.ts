import { describe, expect, test } from '@jest/globals';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  all,
  CHANGES,
  describeChangeSource,
  describeLogSource,
  describeMetricSource,
  describeTraceSource,
  T0,
  WINDOW,
} from '../../../test/support/sources/source-compliance.js';
import {
  changeLines,
  logLines,
  metricLines,
  spanLines,
  writeBundle,
} from '../../../test/support/incidents/write-bundle.js';
import { openBundle } from './bundle.js';
import { recordedSources } from './recorded-sources.js';

const signal = new AbortController().signal;
const nodes = ['shop', 'cart'].map((id) => ({
  id,
  name: id,
  kind: 'workload',
  dependsOn: [],
  attributes: {},
}));
const sourcesOf = async (files: Record<string, string>, manifest: Record<string, unknown> = {}) =>
  recordedSources(await openBundle(await writeBundle(files, manifest)), nodes);

describeMetricSource('a recording', async (series) => {
  return (await sourcesOf({ 'metrics/m.ndjson.gz': metricLines(series) })).metrics;
});
describeLogSource('a recording', async (records) => {
  return (await sourcesOf({ 'logs/l.ndjson': logLines(records) })).logs;
});
describeTraceSource('a recording', async (spans) => {
  return (await sourcesOf({ 'traces/t.jsonl.gz': spanLines(spans) })).traces;
});
describeChangeSource('a recording', async (changes) => {
  return (await sourcesOf({ 'changes/c.ndjson': changeLines(changes) })).changes;
});

describe('a recording', () => {
  const everything = { from: 0, to: Number.MAX_SAFE_INTEGER };
  const at = (minute: number, value: number) => ({
    name: 'm',
    labels: { service: 'shop' },
    times: [T0 + minute * 60_000],
    values: [value],
  });

  test('shows nothing later than now, but for the baseline', async () => {
    const { metrics } = await sourcesOf(
      { 'metrics/m.ndjson': metricLines([at(1, 1), at(61, 2), at(600, 3)]) },
      { baseline: { from: '2026-01-01T09:00:00Z', to: '2026-01-01T11:00:00Z' } },
    );
    const seen = await all(metrics.series({ window: everything }, signal));
    expect(seen.map(({ values }) => values[0])).toEqual([1, 3]);
  });

  test('notes damaged lines with their file and the first number, and reads those around them', async () => {
    const [line = ''] = logLines([{ at: T0, node: 'shop', severity: '', body: 'x', labels: {} }])
      .trim()
      .split('\n');
    const sources = await sourcesOf({
      'logs/l.ndjson': `${line}\n{"timest\n\n{"a":1}\n${line}\n{"resourceLogs":[]}\n`,
      'metrics/m.ndjson': 'none of it\n',
      'traces/t.ndjson': '{"resourceSpans":[]}\n',
      'status/s.json': '{"half',
    });
    expect(await all(sources.logs.records({ window: everything }, signal))).toHaveLength(2);
    await all(sources.metrics.series({ window: everything }, signal));
    await all(sources.traces.spans({ window: everything }, signal));
    await all(sources.status.documents(signal));
    expect(sources.leftOut?.()).toEqual([
      { telemetry: 'logs', file: 'logs/l.ndjson', lines: 2, first: 2, isWhole: false },
      { telemetry: 'metrics', file: 'metrics/m.ndjson', lines: 1, first: 1, isWhole: true },
      { telemetry: 'status', file: 'status/s.json', lines: 1, first: 1, isWhole: true },
    ]);
  });

  test('joins the samples of OpenMetrics text to series, in whatever order they lie', async () => {
    const lines = ['a', 'b', 'a', 'b', 'a'].map(
      (name, i) => `m{service="shop",path="/${name}"} ${i} ${T0 / 1_000 + i * 60}`,
    );
    const { metrics } = await sourcesOf({ 'metrics/m.om': `${lines.join('\n')}\n# EOF\n` });
    const seen = await all(metrics.series({ window: everything }, signal));
    expect(seen.map(({ values }) => values)).toEqual([
      [0, 2, 4],
      [1, 3],
    ]);
  });

  test('takes the first alert for the report where nothing else says when it was noticed', async () => {
    const alert = { labels: { service: 'shop' }, annotations: {} };
    const at = (minute: number) => new Date(T0 + minute * 60_000).toISOString();
    const alerts = [20, 10, -600].map((minute) => ({ ...alert, startsAt: at(minute) }));
    const { frame } = await sourcesOf({ 'alerts.json': JSON.stringify({ alerts }) });
    expect(frame.reportedAt).toBe(T0 + 10 * 60_000);
  });

  test('opens with an alerts.json that is no JSON, and notes it', async () => {
    const { alerts, leftOut } = await sourcesOf({ 'alerts.json': '{"alerts": [' });
    expect(alerts).toEqual([]);
    expect(leftOut?.()).toMatchObject([{ file: 'alerts.json', isWhole: true }]);
    expect((await sourcesOf({})).leftOut?.()).toEqual([]);
  });

  test('answers not_recorded where it holds no such folder', async () => {
    const sources = await sourcesOf({ 'metrics/m.ndjson': metricLines([at(1, 1)]) });
    expect(sources.logs.records({ window: WINDOW }, signal)).toEqual({
      kind: 'not_recorded',
      reason: 'logs were not recorded',
    });
    expect(sources.status.documents(signal).kind).toBe('not_recorded');
  });

  test('reads included folders beside it, and no others', async () => {
    const folder = await writeBundle({}, { include: ['../parts/usual'] });
    const part = join(dirname(folder), 'parts', 'usual', 'metrics');
    await mkdir(part, { recursive: true });
    await writeFile(join(part, 'm.ndjson'), metricLines([at(1, 7)]));
    const { metrics } = recordedSources(await openBundle(folder), nodes);
    expect(await all(metrics.series({ window: WINDOW }, signal))).toHaveLength(1);
    const out = await writeBundle({}, { include: ['../parts'] });
    await symlink('/', join(dirname(out), 'parts'));
    await expect(openBundle(out)).rejects.toThrow('is not valid');
  });

  test('leaves out lines that are broken', async () => {
    const text = `{"metric"\n[]\n${metricLines([at(1, 1)])}{"metric":{"__name__":"x"},"values":"no"}\n`;
    const { metrics } = await sourcesOf({ 'metrics/m.ndjson': text });
    expect(await all(metrics.series({ window: WINDOW }, signal))).toHaveLength(1);
  });

  test('reads the other forms that common tools write', async () => {
    const { metrics, logs, traces } = await sourcesOf({
      'metrics/dump.om': `# TYPE up gauge\nup{service="shop"} 1 ${T0 / 1_000}\n# EOF\n`,
      'metrics/answer.json': JSON.stringify({
        status: 'success',
        data: {
          result: [{ metric: { __name__: 'rps', app: 'cart' }, values: [[T0 / 1_000, '5']] }],
        },
      }),
      'logs/loki.jsonl': `${JSON.stringify({
        labels: { app: 'cart', level: 'error' },
        line: 'no',
        timestamp: '2026-01-01T00:01:00Z',
      })}\n`,
      'logs/shop-7d9f8c6b5-x2x4z.log': '2026-01-01T00:02:00Z ERROR down\nno time\n',
      'traces/jaeger.jsonl': `${JSON.stringify({
        data: [
          {
            traceID: 't',
            processes: { p: { serviceName: 'cart' } },
            spans: [
              {
                spanID: 's',
                operationName: 'op',
                processID: 'p',
                startTime: T0 * 1_000,
                duration: 5_000,
                tags: [{ key: 'error', value: true }],
              },
            ],
          },
        ],
      })}\n`,
    });
    const window = everything;
    const metric = await all(metrics.series({ window }, signal));
    expect(metric.map(({ node, values }) => [node, values])).toEqual([
      ['cart', [5]],
      ['shop', [1]],
    ]);
    const lines = await all(logs.records({ window }, signal));
    expect(lines.map(({ node, severity, body }) => [node, severity, body])).toEqual([
      ['cart', 'error', 'no'],
      ['shop', 'ERROR', 'ERROR down'],
    ]);
    const [span] = await all(traces.spans({ window }, signal));
    expect(span).toMatchObject({ node: 'cart', start: T0, durationMs: 5, error: '' });
  });

  test('reads Kubernetes lists and status pages', async () => {
    const pod = { kind: 'Pod', metadata: { name: 'shop-1', namespace: 'web' } };
    const { kubernetes: clusters, status } = await sourcesOf({
      'kubernetes/objects.json': JSON.stringify({ kind: 'List', items: [pod] }),
      'status/provider.json': '{"status":"down"}',
      'changes/c.ndjson': changeLines(CHANGES),
    });
    const objects = await Promise.all(clusters.map((each) => all(each.objects(signal))));
    expect(objects.flat()).toMatchObject([{ kind: 'Pod', name: 'shop-1', namespace: 'web' }]);
    expect(await all(status.documents(signal))).toEqual([
      { name: 'provider.json', document: { status: 'down' } },
    ]);
  });

  test('refuses a folder that is no bundle, with what is wrong', async () => {
    const folder = await writeBundle({ 'incident.yaml': 'schema: other@1\nid: x\n' });
    await expect(openBundle(folder)).rejects.toMatchObject({
      options: {
        faults: expect.arrayContaining([
          expect.objectContaining({ path: 'incident.yaml: schema' }),
        ]) as unknown,
      },
    });
  });
});
