import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { OtlpReceiver } from '../../../test/support/programs/otlp-receiver.js';
import { otlpExporter } from './otlp-exporter.js';
import type { ExportedSpan } from './span.js';

let receiver: OtlpReceiver;
beforeAll(async () => {
  receiver = await OtlpReceiver.start();
});
afterAll(() => receiver.close());

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanOf = (index: number): ExportedSpan => ({
  spanId: index.toString(16).padStart(16, '1'),
  name: `span ${index}`,
  kind: 'client',
  start: 1_700_000_000_123,
  end: 1_700_000_001_000,
  error: 'timeout',
  attributes: { text: 'x', number: 7, list: ['a'] },
  events: [{ name: 'AGENT_RESUMED', at: 1_700_000_000_500 }],
});
const exporter = () =>
  otlpExporter({
    endpoint: `${receiver.url}/`,
    headers: { authorization: 'Bearer t' },
    serviceName: 'shop',
    version: '1.2.3',
  });

it('sends spans to a real receiver, with the headers of the configuration', async () => {
  const { spanId: parentId } = spanOf(1);
  const one = exporter();
  await one.export({ traceId: TRACE, spans: [spanOf(1), { ...spanOf(2), parentId }] });
  await one.close();
  expect(receiver.requests[0]).toMatchObject({
    path: '/v1/traces',
    headers: { authorization: 'Bearer t', 'content-type': 'application/json' },
  });
  expect(receiver.spans).toEqual(
    [undefined, parentId].map((parentSpanId, i) => ({
      traceId: TRACE,
      spanId: spanOf(i + 1).spanId,
      parentSpanId,
      name: `span ${i + 1}`,
      kind: 3,
      startMs: 1_700_000_000_123,
      endMs: 1_700_000_001_000,
      failed: true,
      attributes: { text: 'x', number: 7, list: ['a'], 'error.type': 'timeout' },
      resource: expect.objectContaining({ 'service.name': 'shop', 'service.version': '1.2.3' }),
      events: ['AGENT_RESUMED'],
    })),
  );
});

it('sends a long trace in several requests', async () => {
  const before = receiver.requests.length;
  const one = exporter();
  await one.export({ traceId: TRACE, spans: Array.from({ length: 1_001 }, (_, i) => spanOf(i)) });
  await one.close();
  expect(receiver.requests.length - before).toBe(3);
});

it('rejects if the receiver refuses', async () => {
  receiver.status = 400;
  const one = exporter();
  await expect(one.export({ traceId: TRACE, spans: [spanOf(1)] })).rejects.toThrow();
  await one.close();
});
