import { expect, test } from '@jest/globals';
import { externalCauses } from './external-causes.js';
import type { MovedSeries, Observations, Trouble } from './observations.js';

const MINUTE = 60_000;
const moved = (name: string, labels: Record<string, string>, from: number, to: number) =>
  ({
    ...{ name, node: 'shop', labels, times: [], values: [] },
    onset: {
      ...{ at: 40 * MINUTE, from, to, deviations: 50, band: 1, ramp: false },
      direction: to > from ? (1 as const) : (-1 as const),
    },
  }) satisfies MovedSeries;

function kindsOf(...series: MovedSeries[]): string[] {
  const seen = {
    nodes: [{ id: 'shop', name: 'shop', dependsOn: [] }],
    ...{ series, status: [] },
  } as unknown as Observations;
  const trouble = { moved: series, appeared: [], failedSpans: [] } as unknown as Trouble;
  return externalCauses(seen, trouble, []).map(({ kind }) => kind);
}

test('requests that grow before anything else are a surge', () => {
  expect(kindsOf(moved('http_requests_total', { code: '200' }, 20, 140))).toEqual(['surge']);
});

test.each([
  ['http_requests_total', { code: '500' }],
  ['http_requests_total', { status: '404' }],
  ['http_server_requests_seconds_count', { outcome: 'SERVER_ERROR' }],
  ['grpc_requests_total', { grpc_code: 'Unavailable' }],
  ['http_requests_errors_total', {}],
])('%s with the labels %j grows with failures, and is no surge', (name, labels) => {
  expect(kindsOf(moved(name, labels, 0.02, 9))).toEqual([]);
});

test('a product whose name holds a word of a surge does not tell of one', () => {
  const text = (body: string) => ({ text: body, weight: 1, from: 'log' as const });
  const seen = { nodes: [], series: [], status: [] } as unknown as Observations;
  const quiet = { moved: [], appeared: [], failedSpans: [] } as unknown as Trouble;
  expect(externalCauses(seen, quiet, [text('influxdb: write failed')])).toEqual([]);
  expect(externalCauses(seen, quiet, [text('an influx of bots')])).toMatchObject([
    { kind: 'surge' },
  ]);
});

test('quotes what was recorded rather than the alert', () => {
  const seen = { nodes: [], series: [], status: [] } as unknown as Observations;
  const quiet = { moved: [], appeared: [], failedSpans: [] } as unknown as Trouble;
  const texts = [
    { text: 'a certificate expired?', weight: 1, from: 'alert' as const, node: 'shop' },
    { text: 'x509: certificate has expired', weight: 1, from: 'log' as const, node: 'pay' },
  ];
  const says = (given: typeof texts) => externalCauses(seen, quiet, given)[0];
  expect(says(texts)).toMatchObject({ node: 'pay', says: 'x509: certificate has expired' });
  expect(says(texts.slice(0, 1))).toMatchObject({ node: 'shop', says: 'a certificate expired?' });
});
