import { expect, test } from '@jest/globals';
import { LogSample } from './log-sample.js';

const line = (body: string, traceId?: string) => ({
  at: 1,
  severity: 'ERROR',
  body,
  labels: {},
  ...(traceId !== undefined && { traceId, spanId: '1' }),
});

test('counts lines by their template', () => {
  const sample = new LogSample(10, { keeps: () => true });
  for (const body of ['cannot reach cart', 'cannot reach cart', 'pool is full'])
    sample.add(line(body));
  expect(sample.templates(false).map(({ count }) => count)).toEqual([2, 1]);
  expect(sample.templates(true)).toMatchObject([{ isCut: true }, { isCut: true }]);
});

test('notes each template of a span once, of spans that are kept', () => {
  const sample = new LogSample(10, { keeps: (traceId) => traceId === 'kept' });
  for (const traceId of ['kept', 'kept', 'left', undefined])
    sample.add(line('cannot reach cart', traceId));
  expect([...sample.notes.values()]).toEqual([[{ id: expect.any(String), error: true }]]);
});
