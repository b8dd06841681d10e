import { describe, expect, it, test } from '@jest/globals';
import { looseLogIn, timeIn } from './parse-loose-log.js';
import { logsIn, podLogIn } from './parse-logs.js';

const AT = Date.parse('2026-01-01T10:00:00.123Z');

test.each([
  ['2026-01-01T10:00:00.123Z'],
  ['2026-01-01 10:00:00,123'],
  ['2026/01/01 11:00:00.123 +0100'],
  [AT],
  [AT / 1_000],
  [String(AT)],
  [`${AT}000000`],
])('reads the time %s', (time) => {
  expect(timeIn(time)).toBeCloseTo(AT, 0);
});

test.each([[''], ['now'], [7], [null], [{}]])('reads no time in %j', (time) => {
  expect(timeIn(time)).toBeUndefined();
});

describe('looseLogIn', () => {
  it.each([
    [
      'pino',
      { level: 50, time: AT, msg: 'broken', service: 'orders' },
      { severity: '50', body: 'broken', labels: { service: 'orders' } },
    ],
    [
      'Fluent Bit',
      {
        date: AT / 1_000,
        log: 'broken',
        kubernetes: { pod_name: 'orders-1', labels: { app: 'orders' } },
      },
      { severity: '', body: 'broken', labels: { pod: 'orders-1', app: 'orders' } },
    ],
    [
      'ECS',
      {
        '@timestamp': '2026-01-01T10:00:00.123Z',
        'log.level': 'error',
        message: 'broken',
        service: { name: 'orders' },
        'trace.id': 't1',
      },
      { severity: 'error', body: 'broken', labels: { 'service.name': 'orders' }, traceId: 't1' },
    ],
    [
      'Serilog',
      {
        '@t': '2026-01-01T10:00:00.123Z',
        '@l': 'Error',
        '@m': 'broken',
        '@x': 'IOException: full',
      },
      { severity: 'Error', body: 'broken: IOException: full' },
    ],
    [
      'zap',
      {
        Timestamp: AT,
        Level: 'ERROR',
        Message: 'broken',
        error: 'disk is full',
        service: 'orders',
      },
      { severity: 'ERROR', body: 'broken: disk is full', labels: { service: 'orders' } },
    ],
  ])('reads a record of %s', (_, line, expected) => {
    const [record] = logsIn(line);
    expect(record).toMatchObject(expected);
    expect(record?.at).toBeCloseTo(AT, 0);
  });

  it.each([[7], [null], [[]], [{ msg: 'no time' }], [{ time: AT }]])(
    'reads nothing in %j',
    (line) => {
      expect(looseLogIn(line, 100)).toBeUndefined();
    },
  );
});

test('a line of text may have any usual time before it', () => {
  expect(podLogIn('2026-01-01 10:00:00,123 ERROR no room', 'orders')).toMatchObject({
    at: AT,
    body: 'ERROR no room',
    labels: { 'k8s.pod.name': 'orders' },
  });
  expect(podLogIn('[2026-01-01T10:00:00.123Z] no room', 'orders')).toMatchObject({
    body: 'no room',
  });
  expect(podLogIn('at com.shop.Orders', 'orders')).toBeUndefined();
});

test('a record that is cut keeps no long line in memory', () => {
  const [record] = logsIn({ timestamp: '2026-01-01T10:00:00Z', body: 'x'.repeat(100_000) });
  expect(record?.body).toHaveLength(16_384);
});
