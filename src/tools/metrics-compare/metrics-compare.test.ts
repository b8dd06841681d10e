import { expect, test } from '@jest/globals';
import { anyEgress } from '../../../test/support/any-egress.js';
import { expectSound } from '../../../test/support/streams/expect-sound.js';
import { contextOf, nodeOf } from '../../../test/support/loopback.js';
import { liveSources } from '../../sources/live/live-sources.js';
import { MetricSource } from '../../sources/ports.js';
import { metricsCompare } from './metrics-compare.js';

const MINUTE = 60_000;

/** A counter of 10 requests a second, of which 5 fail from minute 40 on; a point each minute. */
class Counters extends MetricSource {
  series() {
    const counter = (code: string, perSecond: (minute: number) => number) => {
      let sum = 1_000;
      const times = Array.from({ length: 60 }, (_, minute) => minute * MINUTE);
      const values = times.map((_, minute) => (sum += 60 * perSecond(minute)));
      const labels = { service: 'target', code };
      return { name: 'http_requests_total', node: 'target', labels, times, values };
    };
    const records = (async function* () {
      yield counter('200', () => 10);
      yield counter('500', (minute) => (minute < 40 ? 0 : 5));
      await Promise.resolve();
    })();
    return { kind: 'records' as const, coverage: 'complete' as const, records };
  }
}

test('compares what a counter counts in a second, and names what it counts', async () => {
  const reach = { egress: anyEgress, secretOf: () => undefined, now: 60 * MINUTE };
  const sources = { ...liveSources({ nodes: [] }, [], reach), metrics: new Counters() };
  const context = { ...contextOf(nodeOf('service')), sources };
  const result = expectSound(await metricsCompare.run({ node: 'target' }, context));
  expect(result.measurements).toMatchObject({
    series_count: 2,
    moved: [{ name: 'http_requests_total{code="500"}', from: 0, to: 5, per_second: true }],
  });
  expect(result.issues.map(({ title }) => title)).toEqual([
    'http_requests_total{code="500"} went from 0 to 5 a second',
  ]);
});
