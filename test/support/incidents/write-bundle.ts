import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Change, LogRecord, Series, Span } from '../../../src/domain/telemetry/records.js';

/**
 * Writes an incident bundle into a new folder.
 * @returns the folder of the bundle, inside of another that is its own
 */
export async function writeBundle(
  files: Record<string, string>,
  manifest: Record<string, unknown> = {},
): Promise<string> {
  const folder = join(await mkdtemp(join(tmpdir(), 'incident-')), 'example');
  const incident = {
    schema: 'consilium/incident@1',
    id: 'example',
    start: '2026-01-01T00:00:00Z',
    now: '2026-01-01T01:00:00Z',
    ...manifest,
  };
  const nodes = ['shop', 'cart'].map((id) => ({ id, name: id, kind: 'workload', dependsOn: [] }));
  const whole = {
    'incident.yaml': JSON.stringify(incident),
    'topology.yaml': JSON.stringify({ id: 1, name: 'Example', nodes }),
    ...files,
  };
  for (const [name, text] of Object.entries(whole)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), name.endsWith('.gz') ? gzipSync(text) : text);
  }
  return folder;
}

const lines = (values: readonly unknown[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join('');

export const metricLines = (list: readonly Series[]): string =>
  lines(
    list.map(({ name, labels, times, values }) => ({
      metric: { __name__: name, ...labels },
      values: times.map((at, i) => [at / 1_000, String(values[i])]),
    })),
  );

export const logLines = (list: readonly LogRecord[]): string =>
  lines(
    list.map(({ at, severity, body, labels, traceId, spanId }) => ({
      timestamp: new Date(at).toISOString(),
      severity_text: severity,
      body,
      resource: labels,
      trace_id: traceId,
      span_id: spanId,
    })),
  );

const attributes = (object: Record<string, string>) =>
  Object.entries(object).map(([key, stringValue]) => ({ key, value: { stringValue } }));

export const spanLines = (list: readonly Span[]): string =>
  lines(
    list.map(({ node = '', start, durationMs, parentId, error, attributes: own, ...span }) => ({
      resourceSpans: [
        {
          resource: { attributes: attributes({ 'service.name': node }) },
          scopeSpans: [
            {
              spans: [
                {
                  ...span,
                  ...(parentId !== undefined && { parentSpanId: parentId }),
                  startTimeUnixNano: `${start * 1e6}`,
                  endTimeUnixNano: `${(start + durationMs) * 1e6}`,
                  attributes: attributes(own),
                  ...(error !== undefined && { status: { code: 2, message: error } }),
                },
              ],
            },
          ],
        },
      ],
    })),
  );

export const changeLines = (list: readonly Change[]): string =>
  lines(list.map(({ at, ...change }) => ({ ...change, time: new Date(at).toISOString() })));
