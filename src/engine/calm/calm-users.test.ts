import { describe, expect, test } from '@jest/globals';
import {
  ALERT,
  alert,
  always,
  judge,
  latency,
  type Line,
  linesOf,
  measured,
  spell,
  stepAt,
} from '../../../test/support/incidents/calm-scene.js';
import { MINUTE } from '../../../test/support/incidents/observations.js';
import type { Series } from '../../domain/telemetry/records.js';
import type { Observations } from '../observations.js';

/** A series of answers with a status. */
const answers = (code: string, valueAt: (minute: number) => number): Series => {
  const series = measured('shop', 'http_responses_per_second', valueAt);
  return { ...series, labels: { ...series.labels, code } };
};

describe('an alert about requests that are refused', () => {
  const fires = alert('shop', '4xx above 10 %');
  const refused = answers('404', stepAt(200, 1, 60));
  const served = [answers('200', always(300)), latency(always(100))];

  test('is no failure if they come on top of those that are served', () => {
    expect(judge({ alerts: [fires], series: [refused, ...served] })).toMatchObject({
      healthy: true,
      refutation:
        'more requests of shop are refused, and come on top of the others, which are answered as before',
    });
  });

  test.each<[string, Series[]]>([
    ['fewer are served', [refused, answers('200', stepAt(200, 300, 240)), latency(always(100))]],
    ['others are slower', [refused, answers('200', always(300)), latency(stepAt(202, 100, 180))]],
    ['others fail', [refused, ...served, answers('500', stepAt(202, 0.1, 20))]],
    ['nothing tells how many are served', [refused, latency(always(100))]],
  ])('counts if %s', (_, series) => {
    expect(judge({ alerts: [fires], series }).healthy).toBe(false);
  });
});

describe('an alert about a share of failed requests', () => {
  const fires = alert('shop', 'more than 5 % of requests fail', { metric: 'http_errors_ratio' });
  const failing = measured('shop', 'http_errors_ratio', (i) => (i % 19 === 5 ? 0.5 : 0));
  const requests = (perMinute: number) =>
    measured('shop', 'http_requests_per_minute', always(perMinute));
  const recent = measured('shop', 'http_errors_ratio', (i) => (i > 205 && i % 9 < 2 ? 0.5 : 0));

  test('is no failure if chance makes as many of so few', () => {
    expect(judge({ alerts: [fires], series: [failing, requests(2)] }).healthy).toBe(true);
  });

  test('counts if more fail than before', () => {
    expect(judge({ alerts: [fires], series: [recent, requests(40)] }).healthy).toBe(false);
  });
});

describe('an alert that no data comes', () => {
  const fires = alert('shop', 'NoData: orders_total of shop is absent');
  const worked: Line[] = [[238, 'INFO', 'order 4711 placed']];
  const seen: Partial<Observations> = {
    alerts: [fires],
    series: [latency(always(100), 'cart')],
    templates: linesOf('shop', worked),
  };

  test('is about data collection if the node continues to work', () => {
    expect(judge(seen)).toMatchObject({
      healthy: true,
      refutation:
        'shop goes on to work: it wrote lines until 03:59:00, and requests are answered as before',
    });
  });

  test.each<[string, Partial<Observations>]>([
    ['it writes nothing either', { templates: linesOf('cart', []) }],
    ['requests are slower', { series: [latency(stepAt(ALERT, 100, 900), 'cart')] }],
  ])('counts if %s', (_, more) => {
    expect(judge({ ...seen, ...more }).healthy).toBe(false);
  });
});

describe('an alert about what goes on within', () => {
  const fires = alert('cart', 'hit ratio of the cache below 80 %', { metric: 'cache_hit_ratio' });
  const cache = measured('cart', 'cache_hit_ratio', stepAt(ALERT - 4, 0.95, 0.7));
  const rank = (more: Partial<Observations>) =>
    judge({ alerts: [fires], series: [cache, latency(always(100))], ...more });

  test('is no failure while requests are answered as before', () => {
    expect(rank({})).toMatchObject({
      healthy: true,
      refutation: 'cache_hit_ratio of cart is lower, and requests are answered as before',
    });
  });

  test.each<[string, Partial<Observations>]>([
    ['requests are slower', { series: [cache, latency(stepAt(ALERT, 100, 160))] }],
    ['no series shows how requests are answered', { series: [cache] }],
    ['the node reports errors', { templates: linesOf('cart', [[236, 'ERROR', 'no cache']]) }],
  ])('counts if %s', (_, more) => {
    expect(rank(more).healthy).toBe(false);
  });

  test('counts if fewer requests come', () => {
    const few = alert('shop', 'few requests', { metric: 'http_requests_per_second' });
    const requests = measured('shop', 'http_requests_per_second', stepAt(ALERT, 900, 300));
    expect(judge({ alerts: [few], series: [requests, latency(always(100))] }).healthy).toBe(false);
  });
});

test('an alert describes the past five minutes after a short spell', () => {
  const fires = alert('shop', 'p95 above 1 s', { metric: 'http_p95_ms' });
  const seen = (until: number): Partial<Observations> => ({
    alerts: [fires],
    frame: { start: 0, now: 218 * MINUTE, reportedAt: ALERT * MINUTE },
    series: [latency(spell(208, until, 100, 2_000))],
  });
  expect(judge(seen(211)).healthy).toBe(true);
  expect(judge(seen(215)).healthy).toBe(false);
});
