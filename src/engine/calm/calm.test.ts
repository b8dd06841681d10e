import { describe, expect, test } from '@jest/globals';
import { MINUTE, observed } from '../../../test/support/observations.js';
import { LogTemplates } from '../logs/log-templates.js';
import type { Observations } from '../observations.js';
import { rankRootCauses } from '../rank-root-causes.js';
import type { AlertRecord, Series } from '../../domain/telemetry/records.js';

/** Four hours of points of each minute; an alert fires after three and a half. */
const MINUTES = 240;
const ALERT = 210;
const minutes = Array.from({ length: MINUTES }, (_, minute) => minute);
type Course = (minute: number) => number;

const ripple: Course = (i) => 1 + 0.03 * (((i * 7) % 11) / 5 - 1);
const measured = (node: string, name: string, valueAt: Course): Series => ({
  name,
  node,
  labels: { service: node },
  times: minutes.map((i) => i * MINUTE),
  values: minutes.map((i) => valueAt(i) * ripple(i)),
});
const always =
  (value: number): Course =>
  () =>
    value;
const stepAt =
  (minute: number, before: number, after: number): Course =>
  (i) =>
    i < minute ? before : after;
const spell =
  (from: number, until: number, usual: number, then: number): Course =>
  (i) =>
    i >= from && i < until ? then : usual;

const alert = (
  service: string,
  summary: string,
  { metric, ...more }: { metric?: string } & Partial<AlertRecord> = {},
): AlertRecord => ({
  labels: { service, ...(metric !== undefined && { metric }) },
  annotations: { summary },
  startsAt: ALERT * MINUTE,
  ...more,
});
const frame = { start: 0, now: (MINUTES - 1) * MINUTE, reportedAt: ALERT * MINUTE };
const judge = (seen: Partial<Observations>) => rankRootCauses(observed({ frame, ...seen }), '');
const latency = (valueAt: Course, node = 'shop') => measured(node, 'http_p95_ms', valueAt);

type Line = [minute: number, severity: string, body: string];
/** Lines of a node that also writes that it works, each minute. */
function linesOf(node: string, lines: readonly Line[]) {
  const templates = new LogTemplates((ALERT * MINUTE) / 2);
  const add = (minute: number, severity: string, body: string) =>
    templates.add({ node, at: minute * MINUTE, severity, body, labels: {} });
  const all: Line[] = [...lines, ...minutes.map((i): Line => [i, 'INFO', 'served a page'])];
  for (const line of all.toSorted(([a], [b]) => a - b)) add(...line);
  return templates.all();
}

describe('an alert that has ended', () => {
  const ended = alert('shop', 'p95 above 1 s', {
    metric: 'http_p95_ms',
    endedAt: (ALERT + 5) * MINUTE,
  });

  test('tells of the past where all is back', () => {
    const { healthy, refutation } = judge({
      alerts: [ended],
      series: [latency(spell(205, 214, 100, 2_000))],
    });
    expect(healthy).toBe(true);
    expect(refutation).toBe(
      'it ended at 03:35:00, and nothing of shop is out of the ordinary since',
    );
  });

  test.each<[string, Partial<Observations>]>([
    [
      'it ended just now',
      {
        alerts: [{ ...ended, endedAt: 235 * MINUTE }],
        series: [latency(spell(205, 234, 100, 2_000))],
      },
    ],
    ['what it names stays high', { series: [latency(stepAt(205, 100, 2_000))] }],
    [
      'another node is worse',
      { series: [latency(spell(205, 214, 100, 2_000)), latency(stepAt(205, 90, 900), 'cart')] },
    ],
    [
      'errors go on',
      {
        templates: linesOf('shop', [
          [206, 'ERROR', 'no rate'],
          [238, 'ERROR', 'no rate'],
        ]),
      },
    ],
    ['another alert fires', { alerts: [ended, alert('cart', 'cart is empty')] }],
  ])('counts if %s', (_, more) => {
    const series = [latency(spell(205, 214, 100, 2_000))];
    expect(judge({ alerts: [ended], series, ...more }).healthy).toBe(false);
  });
});

describe('an alert that nobody has acknowledged', () => {
  const fires = alert('shop', 'p95 above 1 s', { metric: 'http_p95_ms' });
  const seen = { alerts: [fires], series: [latency(spell(205, 214, 100, 2_000))] };

  test('tells of the past if what it names is back for longer than it was away', () => {
    expect(judge(seen)).toMatchObject({
      healthy: true,
      refutation: 'http_p95_ms of shop was unusual from 03:25:00 until 03:33:00, and is back',
    });
  });

  test.each<[string, Partial<Observations>]>([
    ['is not back for long', { series: [latency(spell(205, 232, 100, 2_000))] }],
    ['comes and goes', { series: [latency((i) => (i >= 205 && i % 12 < 4 ? 2_000 : 100))] }],
    [
      'is back because fewer requests come',
      { series: [...seen.series, measured('shop', 'http_requests_per_s', stepAt(212, 900, 90))] },
    ],
  ])('counts if what it names %s', (_, more) => {
    expect(judge({ ...seen, ...more }).healthy).toBe(false);
  });
});

describe('an alert about a resource in use', () => {
  const fires = alert('cart', 'CPU above 50 %', { metric: 'cpu_percent' });
  const cpu = (then: number) => measured('cart', 'cpu_percent', stepAt(205, 20, then));

  test('is no trouble while some is left and requests are answered as before', () => {
    expect(judge({ alerts: [fires], series: [cpu(55), latency(always(100))] })).toMatchObject({
      healthy: true,
      refutation:
        'cpu_percent of cart is higher and leaves room, and requests are answered as before',
    });
  });

  test.each<[string, Series[]]>([
    ['hardly any is left', [cpu(92), latency(always(100))]],
    ['requests are slower', [cpu(55), latency(stepAt(206, 100, 160))]],
    ['nobody measured how requests are answered', [cpu(55)]],
  ])('counts if %s', (_, series) => {
    expect(judge({ alerts: [fires], series }).healthy).toBe(false);
  });
});

describe('an alert about more requests', () => {
  const fires = alert('shop', 'twice the requests of the forecast', {
    metric: 'http_requests_per_second',
  });
  const requests = (valueAt: Course, node = 'shop') =>
    measured(node, 'http_requests_per_second', valueAt);
  const more = requests(stepAt(170, 1_000, 2_200));

  test('is no trouble while they are answered as before', () => {
    expect(judge({ alerts: [fires], series: [more, latency(always(100))] })).toMatchObject({
      healthy: true,
      refutation:
        'http_requests_per_second of shop grew with the requests, which are answered as before',
    });
  });

  test.each<[string, Series[]]>([
    ['they are slower', [more, latency(stepAt(172, 100, 140))]],
    ['nobody measured how they are answered', [more]],
    ['fewer come', [requests(stepAt(170, 1_000, 300)), latency(always(100))]],
  ])('counts if %s', (_, series) => {
    expect(judge({ alerts: [fires], series }).healthy).toBe(false);
  });

  test('counts if a caller asks more for each of its own requests', () => {
    const asked = { ...fires, labels: { service: 'cart', metric: 'http_requests_per_second' } };
    const inner = requests(stepAt(170, 1_000, 9_000), 'cart');
    const rank = (outer: Series) =>
      judge({ alerts: [asked], series: [inner, outer, latency(always(100))] }).healthy;
    expect(rank(requests(always(1_000)))).toBe(false);
    expect(rank(requests(stepAt(170, 1_000, 9_000)))).toBe(true);
  });
});

describe('an alert about what fills and empties', () => {
  const fires = alert('cart', 'CPU above 80 %', { metric: 'cpu_percent' });
  const hourly =
    (minutesLong: number, lastLong = minutesLong): Course =>
    (i) =>
      i % 60 >= 45 && i % 60 < 45 + (i > 180 ? lastLong : minutesLong) ? 90 : 8;
  const cpu = (valueAt: Course) => ({
    alerts: [{ ...fires, startsAt: 226 * MINUTE }],
    frame: { ...frame, now: 234 * MINUTE, reportedAt: 228 * MINUTE },
    series: [measured('cart', 'cpu_percent', valueAt)],
  });

  test('is no trouble if it was as high before, and fell again', () => {
    expect(judge(cpu(hourly(11)))).toMatchObject({ healthy: true });
  });

  test.each<[string, Course]>([
    ['longer', hourly(5, 11)],
    ['higher', (i) => (i > 180 ? 1 : 0.3) * hourly(11)(i)],
    ['high for the second time only', (i) => (i < 120 ? 8 : hourly(11)(i))],
  ])('counts if it is %s', (_, valueAt) => {
    expect(judge(cpu(valueAt)).healthy).toBe(false);
  });
});

describe('an alert that counts lines of the log', () => {
  const fires = alert('shop', 'more than 40 ERROR lines in 10 minutes', { metric: 'log_lines' });
  const conflicts = (perMinute: (minute: number) => number, body = 'seat changed, attempt 1') =>
    minutes.flatMap((i): Line[] => Array.from({ length: perMinute(i) }, () => [i, 'ERROR', body]));

  test('is no trouble if there are as many as ever', () => {
    expect(
      judge({
        alerts: [fires],
        templates: linesOf(
          'shop',
          conflicts(() => 4),
        ),
      }),
    ).toMatchObject({
      healthy: true,
      refutation:
        'shop wrote as many errors and warnings before, of the same kinds: about 4 a minute',
    });
  });

  test.each<[string, Line[]]>([
    ['more', conflicts((i) => (i < 200 ? 2 : 5))],
    ['of a new kind', [...conflicts(() => 4), [209, 'ERROR', 'no route to the bank']]],
  ])('counts if there are %s', (_, lines) => {
    expect(judge({ alerts: [fires], templates: linesOf('shop', lines) }).healthy).toBe(false);
  });
});

describe('an alert about a unit of work', () => {
  const fires = alert('shop', 'task nightly.chunk_17 failed (try 1 of 3)');
  const failure: Line = [200, 'ERROR', 'nightly.chunk_17: host is gone, exit 143'];

  test('is no trouble once it has succeeded', () => {
    const templates = linesOf('shop', [failure, [216, 'INFO', 'nightly.chunk_17 SUCCESS']]);
    expect(judge({ alerts: [fires], templates })).toMatchObject({
      healthy: true,
      refutation: 'nightly.chunk_17 failed at 03:20:00, was tried again and succeeded at 03:36:00',
    });
  });

  test('is no trouble if all that failed has succeeded, though it names none', () => {
    const templates = (done: number) =>
      linesOf('shop', [
        [200, 'ERROR', 'order ORD-4711: bank is busy'],
        [202, 'ERROR', 'order ORD-4712: bank is busy'],
        [204, 'INFO', 'order ORD-4711 completed'],
        [206, 'INFO', `order ORD-${done} completed`],
      ]);
    const failing = alert('shop', 'orders fail');
    expect(judge({ alerts: [failing], templates: templates(4712) }).healthy).toBe(true);
    expect(judge({ alerts: [failing], templates: templates(4713) }).healthy).toBe(false);
  });

  test.each<[string, Line[]]>([
    ['it is only tried again', [[216, 'INFO', 'nightly.chunk_17 running, try 2']]],
    ['another one succeeded', [[216, 'INFO', 'nightly.chunk_18 SUCCESS']]],
    [
      'it failed again',
      [
        [216, 'INFO', 'nightly.chunk_17 SUCCESS'],
        [230, 'ERROR', 'nightly.chunk_17: exit 1'],
      ],
    ],
    ['it ended without success', [[216, 'INFO', 'nightly.chunk_17 finished with errors']]],
  ])('counts if %s', (_, lines) => {
    const templates = linesOf('shop', [failure, ...lines]);
    expect(judge({ alerts: [fires], templates }).healthy).toBe(false);
  });
});

describe('an alert during planned work', () => {
  const fires = alert('db', 'role of db has changed');
  const drill = {
    kind: 'manual' as const,
    id: 'w1',
    at: (ALERT - 2) * MINUTE,
    node: 'db',
    message: 'half-yearly switch-over drill',
  };
  const lost = (minute: number): Line => [minute, 'WARN', 'connection to db lost'];
  const seen: Partial<Observations> = {
    alerts: [fires],
    changes: [drill],
    series: [latency(always(100)), measured('db', 'cpu_percent', stepAt(ALERT, 40, 12))],
    templates: linesOf('cart', [lost(ALERT), lost(ALERT + 1)]),
  };

  test('tells of the work while requests are answered as before', () => {
    expect(judge(seen)).toMatchObject({
      healthy: true,
      refutation:
        'it came with planned work (half-yearly switch-over drill, 03:28:00), and requests are answered as before',
    });
  });

  test.each<[string, Partial<Observations>]>([
    [
      'requests fail',
      {
        series: [
          latency(always(100)),
          measured('shop', 'http_5xx_ratio', stepAt(ALERT, 0.001, 0.2)),
        ],
      },
    ],
    [
      'clients stay without connection',
      { templates: linesOf('cart', [210, 215, 225, 238].map(lost)) },
    ],
    ['nobody measured how requests are answered', { series: [] }],
    ['no work was planned', { changes: [] }],
    ['the work came later', { changes: [{ ...drill, at: (ALERT + 3) * MINUTE }] }],
    ['it is about something else', { alerts: [alert('db', 'totals of db are wrong')] }],
  ])('counts if %s', (_, more) => {
    expect(judge({ ...seen, ...more }).healthy).toBe(false);
  });
});
