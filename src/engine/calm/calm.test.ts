import { describe, expect, test } from '@jest/globals';
import {
  ALERT,
  type Course,
  measured,
  always,
  stepAt,
  spell,
  alert,
  frame,
  judge,
  latency,
  linesOf,
} from '../../../test/support/incidents/calm-scene.js';
import { MINUTE } from '../../../test/support/incidents/observations.js';
import type { Series } from '../../domain/telemetry/records.js';
import type { Observations } from '../observations.js';

describe('an alert that has ended', () => {
  const ended = alert('shop', 'p95 above 1 s', {
    metric: 'http_p95_ms',
    endedAt: (ALERT + 5) * MINUTE,
  });

  test('describes the past if everything has recovered', () => {
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

describe('an alert that is not acknowledged', () => {
  const fires = alert('shop', 'p95 above 1 s', { metric: 'http_p95_ms' });
  const seen = { alerts: [fires], series: [latency(spell(205, 214, 100, 2_000))] };

  test('describes the past if its subject has recovered for longer than it was out', () => {
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

  test('is no failure while some is left and requests are answered as before', () => {
    expect(judge({ alerts: [fires], series: [cpu(55), latency(always(100))] })).toMatchObject({
      healthy: true,
      refutation:
        'cpu_percent of cart is higher and leaves room, and requests are answered as before',
    });
  });

  test.each<[string, Series[]]>([
    ['hardly any is left', [cpu(92), latency(always(100))]],
    ['requests are slower', [cpu(55), latency(stepAt(206, 100, 160))]],
    ['no series shows how requests are answered', [cpu(55)]],
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

  test('is no failure while they are answered as before', () => {
    expect(judge({ alerts: [fires], series: [more, latency(always(100))] })).toMatchObject({
      healthy: true,
      refutation:
        'http_requests_per_second of shop grew with the requests, which are answered as before',
    });
  });

  test.each<[string, Series[]]>([
    ['they are slower', [more, latency(stepAt(172, 100, 140))]],
    ['no series shows how they are answered', [more]],
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

  test('is no failure if it was as high before, and fell again', () => {
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
