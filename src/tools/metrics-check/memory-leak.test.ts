import { describe, expect, test } from '@jest/globals';
import { anyEgress } from '../../../test/support/any-egress.js';
import {
  hasPrometheus,
  startPrometheus,
} from '../../../test/support/programs/prometheus-program.js';
import type { Series } from '../../domain/telemetry/records.js';
import { PrometheusMetrics } from '../../sources/live/prometheus-metrics.js';
import { memoryLeak } from './memory-leak.js';

const never = new AbortController().signal;

test('is a warning with what is foreseen, if that is above the limit', () => {
  const labels = { pod: 'shop-1', container: 'shop' };
  expect(memoryLeak.judge({ labels, value: 1.273 })).toMatchObject({
    severity: 'warning',
    symptom: 'saturated',
    kind: 'memory-leak',
    title: 'memory of shop rises steadily: at this pace it reaches its limit within 4 h',
    detail: expect.stringContaining('in 4 h at this pace is 127.3 % of the limit') as unknown,
  });
  expect(memoryLeak.judge({ labels, value: 1 })).toBeUndefined();
});

/** Share of the limit over two hours: by minutes before now. */
const MEMORY: Readonly<Record<string, (ago: number) => number>> = {
  leak: (ago) => 0.8 - ago * 0.002,
  'leak of a heap that is collected': (ago) => 0.75 - ago * 0.002 + ((ago % 7) / 7) * 0.1,
  'a leak that has time': (ago) => 0.6 - ago * 0.0008,
  'a small share': (ago) => 0.45 - ago * 0.003,
  'a step': (ago) => (ago > 40 ? 0.3 : 0.8),
  'a cache that has filled up': (ago) => 0.8 - 0.5 * Math.exp((ago - 120) / 20),
  'up and down': (ago) => 0.6 + 0.2 * Math.sin(ago / 5),
  'nothing new': () => 0.95,
  'a fall': (ago) => 0.5 + ago * 0.002,
  'a rise that has just begun': (ago) => 0.5 + Math.max(0, 40 - ago) * 0.008,
};

const seriesOf = (now: number, metrics: readonly [string, string], more: object): Series[] => {
  const [used, limit] = metrics;
  const minutes = Array.from({ length: 121 }, (_, i) => 120 - i);
  const times = minutes.map((ago) => now - ago * 60_000);
  return Object.entries(MEMORY).flatMap(([job, shareAt]) => {
    const labels = { job, container: 'c', pod: 'p', instance: 'i', ...more };
    const line = (name: string, values: number[]) => ({ name, labels, times, values });
    return [
      line(
        used,
        minutes.map((ago) => Math.round(shareAt(ago) * 1e9)),
      ),
      line(
        limit,
        minutes.map(() => 1e9),
      ),
    ];
  });
};

// Without Prometheus (Debian: apt-get install prometheus) nothing computes the expression.
if (hasPrometheus())
  describe('a real Prometheus', () => {
    test.each([
      [
        'containers',
        ['container_memory_working_set_bytes', 'container_spec_memory_limit_bytes'],
        {},
      ],
      ['heaps', ['jvm_memory_used_bytes', 'jvm_memory_max_bytes'], { area: 'heap' }],
    ] as const)('finds leaks of %s, and nothing else', async (_, metrics, more) => {
      const { url, stop } = await startPrometheus(seriesOf(Date.now(), metrics, more));
      const selectors = new Map(Object.keys(MEMORY).map((job) => [job, `job="${job}"`]));
      const source = new PrometheusMetrics(
        [{ id: 'prom', server: { endpoint: url, egress: anyEgress }, selectors }],
        [],
      );
      const leaks: string[] = [];
      for (const node of selectors.keys()) {
        const { expression } = memoryLeak;
        const answer = await source.evaluate({ node, expressions: [expression] }, never);
        const samples = answer?.samples[0] ?? [];
        expect(samples).toHaveLength(1);
        if (samples.some((sample) => memoryLeak.judge(sample) !== undefined)) leaks.push(node);
      }
      await stop();
      expect(leaks).toEqual(['leak', 'leak of a heap that is collected']);
    });
  });
