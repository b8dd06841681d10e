import { expect, test } from '@jest/globals';
import { anyEgress } from '../../../test/support/any-egress.js';
import { expectSound } from '../../../test/support/streams/expect-sound.js';
import { contextOf, nodeOf } from '../../../test/support/loopback.js';
import type { Series } from '../../domain/telemetry/records.js';
import { liveSources } from '../../sources/live/live-sources.js';
import { MetricSource } from '../../sources/ports.js';
import { metricsCompare } from './metrics-compare.js';

const MINUTE = 60_000;
const MINUTES = 120;
const MOVED_AT = 90;

class Recorded extends MetricSource {
  constructor(private readonly recorded: readonly Series[]) {
    super();
  }
  series() {
    const { recorded } = this;
    const records = (async function* () {
      yield* recorded;
      await Promise.resolve();
    })();
    return { kind: 'records' as const, coverage: 'complete' as const, records };
  }
}

const seriesOf = (name: string, valueAt: (minute: number) => number): Series => ({
  name,
  labels: {},
  node: 'target',
  times: Array.from({ length: MINUTES }, (_, i) => i * MINUTE),
  values: Array.from({ length: MINUTES }, (_, i) => valueAt(i)),
});

async function compare(...series: Series[]) {
  const reach = { egress: anyEgress, secretOf: () => undefined, now: MINUTES * MINUTE };
  const sources = { ...liveSources({ nodes: [] }, [], reach), metrics: new Recorded(series) };
  const context = { ...contextOf(nodeOf('workload')), sources };
  return expectSound(await metricsCompare.run({ node: 'target' }, context));
}

test('a series that left its usual band comes with its course, in few steps', async () => {
  const steady = seriesOf('memory', (minute) => 10 + (minute % 2));
  const jumped = seriesOf('connections', (minute) => (minute < MOVED_AT ? 5 : 92) + (minute % 2));
  const { measurements, issues } = await compare(steady, jumped);
  const [moved] = measurements['moved'] as { name: string; course: { values: number[] } }[];
  expect(moved).toMatchObject({
    name: 'connections',
    course: { start: '1970-01-01T00:00:00.000Z', step_ms: 178_500 },
  });
  const values = moved?.course.values ?? [];
  expect(values).toHaveLength(40);
  expect([values[0], values.at(-1)]).toEqual([5.333, 92.67]);
  expect(issues.map(({ title }) => title)).toEqual(['connections went from 5.5 to 93']);
});

test('a series that is drawn names the edge of its usual band that it passed', async () => {
  const { measurements } = await compare(
    seriesOf('connections', (minute) => (minute < MOVED_AT ? 5 : 92) + (minute % 2)),
    seriesOf('throughput', (minute) => (minute < MOVED_AT ? 90 : 4) + (minute % 2)),
  );
  const edges = (measurements['moved'] as Record<string, unknown>[]).map(
    ({ name, usual_most: most, usual_least: least }) => [name, most, least],
  );
  // Usual values 5 and 6, and 90 and 91: spreads of one, which is what they move by, and of 2 %,
  // five of which are usual.
  expect(edges).toEqual([
    ['connections', 10.5, undefined],
    ['throughput', undefined, 81.45],
  ]);
});

test('of many series the courses of three are enough', async () => {
  const { measurements } = await compare(
    ...Array.from({ length: 6 }, (_, i) =>
      seriesOf(`m${i}`, (minute) => (minute < MOVED_AT ? 5 : 50 + i) + (minute % 2)),
    ),
  );
  const moved = measurements['moved'] as { course?: object }[];
  expect(moved.map(({ course }) => course !== undefined)).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
});
