import { expect, test } from '@jest/globals';
import { anyEgress } from '../../../test/support/any-egress.js';
import { expectSound } from '../../../test/support/streams/expect-sound.js';
import type { TopologyNode } from '../../domain/topology/topology.js';
import { contextOf, nodeOf } from '../../../test/support/loopback.js';
import { liveSources } from '../../sources/live/live-sources.js';
import { SourceError } from '../../sources/http/source-error.js';
import { MetricSource, type Reason, type MetricSample } from '../../sources/ports.js';
import { EVERY_NODE, GROUPS } from './checks.js';
import { metricsCheck } from './metrics-check.js';

/** Names of checks, and of the gates of groups (`gate 0`), by their expressions. */
const NAMES = new Map([
  ...[...EVERY_NODE, ...GROUPS.flatMap(({ checks }) => checks)].map(
    ({ expression, name }) => [expression, name] as const,
  ),
  ...GROUPS.map(({ gate }, index) => [gate, `gate ${index}`] as const),
]);

/** A source whose expressions have these values, by the names of the checks. */
class Computed extends MetricSource {
  constructor(
    private readonly samples: Record<string, MetricSample[]>,
    private readonly unread?: SourceError,
  ) {
    super();
  }
  series() {
    return { kind: 'not_recorded' as const, reason: 'none' };
  }
  override evaluate({ expressions }: { expressions: readonly string[] }) {
    const samples = expressions.map((each) => this.samples[NAMES.get(each) ?? ''] ?? []);
    return Promise.resolve({ samples, ...(this.unread && { unread: this.unread }) });
  }
  override reasons({ of }: { of: Reason }): Promise<ReadonlyMap<string, string>> {
    const known: [string, string][] = of === 'alerts' ? [] : [['api a:80', 'connection refused']];
    return Promise.resolve(new Map(known));
  }
}

async function check(
  samples: Record<string, MetricSample[]>,
  unread?: SourceError,
  node: TopologyNode = nodeOf('workload'),
) {
  const reach = {
    egress: anyEgress,
    secretOf: () => undefined,
  };
  const live = liveSources({ nodes: [node] }, [], { ...reach, now: 0 });
  const sources = { ...live, metrics: new Computed(samples, unread) };
  return expectSound(await metricsCheck.run({ node: 'target' }, { ...contextOf(node), sources }));
}

test('what one of two sources shows counts, and the other is named', async () => {
  const unread = new SourceError('unreachable', 'source vm: connection refused');
  const down = { up: [sample(0, { instance: 'a:80' })] };
  expect(await check(down, unread)).toMatchObject({
    status: 'failed',
    summary:
      'a:80 answered no scrape of the last two minutes; not read: source vm: connection refused',
  });
  await expect(check({}, unread)).rejects.toBe(unread);
});

const sample = (value: number, labels: Record<string, string> = {}): MetricSample => ({
  value,
  labels,
});

test.each<[string, Record<string, MetricSample[]>, string[]]>([
  [
    'a target that is down',
    { up: [sample(0, { instance: 'a:80' }), sample(1, { instance: 'b:80' })] },
    ['critical: a:80 answered no scrape of the last two minutes'],
  ],
  [
    'alerts that fire, but for the one that always does',
    {
      alerts: [
        sample(1, { alertname: 'Watchdog' }),
        sample(1, { alertname: 'Late' }),
        sample(1, { alertname: 'Down', severity: 'critical' }),
      ],
    },
    ['warning: alert Late fires', 'warning: alert Down fires'],
  ],
  [
    'failed requests',
    { error_ratio: [sample(0.12)], error_ratio_by_status: [sample(0.01)] },
    ['critical: share of failed requests is 12 %'],
  ],
  [
    'throttled processors, memory and descriptors near their limits',
    {
      throttled_ratio: [sample(0.5, { container: 'api' }), sample(0.1, { container: 'log' })],
      memory_ratio: [sample(0.95, { container: 'api' })],
      open_files_ratio: [sample(0.95, { instance: 'a:80' })],
    },
    [
      'warning: throttled time of api is 50 %',
      'warning: memory of api is 95 %',
      'warning: share of open file descriptors of a:80 is 95 %',
    ],
  ],
  [
    'full volumes',
    {
      volume_ratio: [sample(0.99, { persistentvolumeclaim: 'db' })],
      file_system_ratio: [sample(0.9, { mountpoint: '/var' }), sample(0.5, { mountpoint: '/' })],
    },
    ['critical: used space of db is 99 %', 'warning: used space of /var is 90 %'],
  ],
  [
    'a crash loop',
    { crash_loop: [sample(1, { container: 'api' })] },
    ['critical: container api is in CrashLoopBackOff'],
  ],
  [
    'a container that the kernel ended',
    { oom_killed: [sample(1, { container: 'api' })] },
    ['warning: container api was ended for lack of memory in the last 30 minutes'],
  ],
])('finds %s', async (_, samples, expected) => {
  const { issues } = await check(samples);
  expect(issues.map(({ severity, title }) => `${severity}: ${title}`)).toEqual(expected);
});

test('says why a target does not answer, and leaves out what it cannot know', async () => {
  const { issues } = await check({
    up: [sample(0, { job: 'api', instance: 'a:80' }), sample(0, { instance: 'b:80' })],
    alerts: [sample(1, { alertname: 'Late' })],
  });
  expect(issues.map(({ detail }) => detail.split('.')[0])).toEqual([
    'connection refused',
    'Its metrics endpoint is down or cannot be reached from Prometheus (up is 0)',
    'Prometheus evaluates its rule as true; severity not given',
  ]);
});

test('notes what has changed since an hour or a day before, as no fault', async () => {
  const result = await check({
    traffic_change: [sample(0.2, { before: 'an hour' }), sample(1.4, { before: 'a day' })],
    latency_change: [sample(3.14, { before: 'a day' }), sample(Infinity, { before: 'an hour' })],
  });
  expect(result).toMatchObject({ status: 'ok', partial: true });
  expect(result.issues.map(({ severity, title }) => `${severity}: ${title}`)).toEqual([
    'info: traffic is 0.2 times that of an hour ago',
    'info: latency (p99) is 3.1 times that of a day ago',
  ]);
});

test('a node within all limits is well', async () => {
  const result = await check({ up: [sample(1)], error_ratio: [sample(0)] });
  expect(result).toMatchObject({ status: 'ok', measurements: { checked: ['up', 'error_ratio'] } });
  expect(result).not.toHaveProperty('partial');
});

test('names the thresholds of ratios, the lower of two, and what is near one', async () => {
  const result = await check({
    up: [sample(1)],
    throttled_ratio: [sample(0.1)],
    volume_ratio: [sample(0.6), sample(0.8)],
    file_system_ratio: [sample(NaN)],
  });
  expect(result.thresholds).toEqual([
    { metric: 'throttled_ratio', most: 0.25 },
    { metric: 'volume_ratio', most: 0.85 },
  ]);
  expect(result.near).toEqual([{ metric: 'volume_ratio', value: 0.8, threshold: 0.85 }]);
});

test('a node that is only scraped is not checked by that', async () => {
  expect(await check({ up: [sample(1)] })).toMatchObject({ status: 'ok', partial: true });
});

test('no data is no sign of health', async () => {
  expect(await check({})).toMatchObject({ measurements: { recorded: false } });
});

test('no data names the selector that may be wrong', async () => {
  const node = { ...nodeOf('workload'), in: { prom: 'job="absent"' } };
  expect((await check({}, undefined, node)).summary).toMatch(
    /^no metrics of \S+ that the rules read \(it selects prom: job="absent"\)$/,
  );
});

test('a ratio of nothing, which is NaN, is no issue', async () => {
  expect(await check({ error_ratio: [sample(NaN)] })).toMatchObject({ status: 'ok', issues: [] });
});
