import { expect, test } from '@jest/globals';
import { anyEgress } from '../../../test/support/any-egress.js';
import {
  hasPrometheus,
  startPrometheus,
} from '../../../test/support/programs/prometheus-program.js';
import type { Series } from '../../domain/telemetry/records.js';
import { PrometheusMetrics } from '../../sources/live/prometheus-metrics.js';
import { EVERY_NODE } from './checks.js';

/** Why containers ended last, and how often they had been restarted so many minutes ago. */
const ENDS: Readonly<Record<string, readonly [reason: string, restarts: (ago: number) => number]>> =
  {
    'killed lately': ['OOMKilled', (ago) => (ago < 10 ? 4 : 3)],
    'killed long ago': ['OOMKilled', () => 4],
    'ended for another reason': ['Error', (ago) => (ago < 10 ? 4 : 3)],
  };

// Without Prometheus (Debian: apt-get install prometheus) nothing computes the expression.
(hasPrometheus() ? test : test.skip)(
  'a real Prometheus finds containers that were ended for lack of memory lately',
  async () => {
    const now = Date.now();
    const minutes = Array.from({ length: 121 }, (_, i) => 120 - i);
    const times = minutes.map((ago) => now - ago * 60_000);
    const series = Object.entries(ENDS).flatMap(([job, [reason, restarts]]): Series[] => {
      const labels = { job, pod: 'p', container: 'c' };
      const name = (end: string) => `kube_pod_container_status_${end}`;
      const ended = { ...labels, reason };
      return [
        {
          name: name('last_terminated_reason'),
          labels: ended,
          times,
          values: minutes.map(() => 1),
        },
        { name: name('restarts_total'), labels, times, values: minutes.map(restarts) },
      ];
    });
    const { url, stop } = await startPrometheus(series);
    const selectors = new Map(Object.keys(ENDS).map((job) => [job, `job="${job}"`]));
    const server = { endpoint: url, egress: anyEgress };
    const source = new PrometheusMetrics([{ id: 'prom', server, selectors }], []);
    const { expression = '' } = EVERY_NODE.find(({ name }) => name === 'oom_killed') ?? {};
    const found: string[] = [];
    for (const node of selectors.keys()) {
      const query = { node, expressions: [expression] };
      const answer = await source.evaluate(query, new AbortController().signal);
      const samples = answer?.samples[0] ?? [];
      if (samples.length > 0) found.push(node);
    }
    await stop();
    expect(found).toEqual(['killed lately']);
  },
);
