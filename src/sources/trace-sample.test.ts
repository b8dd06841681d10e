import { expect, it } from '@jest/globals';
import type { Span } from '../domain/telemetry/records.js';
import { TraceSample } from './trace-sample.js';

const span = (trace: number, i: number): Span => ({
  traceId: `trace-${trace}`,
  spanId: String(i),
  name: 'op',
  start: i,
  durationMs: 1,
  attributes: {},
});
const fill = (most: number, order: readonly number[], spansOfTrace: number): Span[] => {
  const sample = new TraceSample(most);
  for (let i = 0; i < spansOfTrace; i++) for (const trace of order) sample.add(span(trace, i));
  return sample.spans();
};
const range = (n: number) => Array.from({ length: n }, (_, i) => i);
const tracesIn = (spans: readonly Span[]) =>
  [...new Set(spans.map(({ traceId }) => traceId))].sort();

it('keeps all spans that fit', () => {
  expect(fill(100, range(20), 5)).toHaveLength(100);
});

it('keeps whole traces, and no more spans than fit', () => {
  const spans = fill(100, range(500), 5);
  expect(spans.length).toBeLessThanOrEqual(100);
  expect(spans.length).toBeGreaterThan(0);
  expect(spans).toHaveLength(tracesIn(spans).length * 5);
});

it('keeps the same traces in whatever order they come', () => {
  const forward = tracesIn(fill(100, range(500), 5));
  expect(tracesIn(fill(100, range(500).toReversed(), 5))).toEqual(forward);
});
