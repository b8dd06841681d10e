import { describe, expect, test } from '@jest/globals';
import {
  ALERT,
  minutes,
  measured,
  always,
  stepAt,
  alert,
  judge,
  latency,
  type Line,
  linesOf,
} from '../../../test/support/incidents/calm-scene.js';
import { MINUTE } from '../../../test/support/incidents/observations.js';
import type { Observations } from '../observations.js';

describe('an alert that counts lines of the log', () => {
  const fires = alert('shop', 'more than 40 ERROR lines in 10 minutes', { metric: 'log_lines' });
  const conflicts = (perMinute: (minute: number) => number, body = 'seat changed, attempt 1') =>
    minutes.flatMap((i): Line[] => Array.from({ length: perMinute(i) }, () => [i, 'ERROR', body]));

  test('is no failure if there are as many as usual', () => {
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

  test('is no failure once it has succeeded', () => {
    const templates = linesOf('shop', [failure, [216, 'INFO', 'nightly.chunk_17 SUCCESS']]);
    expect(judge({ alerts: [fires], templates })).toMatchObject({
      healthy: true,
      refutation: 'nightly.chunk_17 failed at 03:20:00, was tried again and succeeded at 03:36:00',
    });
  });

  test('is no failure if all that failed has succeeded, though it names none', () => {
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

  test('is explained by the maintenance while requests are answered as before', () => {
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
    ['no series shows how requests are answered', { series: [] }],
    ['no work was planned', { changes: [] }],
    ['the work came later', { changes: [{ ...drill, at: (ALERT + 3) * MINUTE }] }],
    ['it is about something else', { alerts: [alert('db', 'totals of db are wrong')] }],
  ])('counts if %s', (_, more) => {
    expect(judge({ ...seen, ...more }).healthy).toBe(false);
  });
});
