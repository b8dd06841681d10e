import { expect, test } from '@jest/globals';
import { readHealthBody } from './health-body.js';

const read = (value: unknown) => readHealthBody(JSON.stringify(value));

test.each<[string, unknown, unknown]>([
  [
    'Spring Boot Actuator',
    {
      status: 'DOWN',
      components: {
        db: { status: 'DOWN', details: { error: 'Connection to db:5432 refused' } },
        ping: { status: 'UP' },
      },
    },
    { severity: 'critical', text: 'DOWN: db', details: ['db: Connection to db:5432 refused'] },
  ],
  [
    'health+json',
    {
      status: 'fail',
      checks: { 'redis:responseTime': [{ status: 'pass' }, { status: 'fail', output: 'timeout' }] },
    },
    {
      severity: 'critical',
      text: 'fail: redis:responseTime',
      details: ['redis:responseTime: timeout'],
    },
  ],
  ['health+json with a warning', { status: 'warn' }, { severity: 'warning', text: 'warn' }],
  [
    'terminus',
    { status: 'error', error: { redis: { status: 'down', message: 'ECONNREFUSED' } } },
    { severity: 'critical', text: 'error: redis', details: ['redis: ECONNREFUSED'] },
  ],
  [
    'parts that are words',
    { status: 'DOWN', details: { db: 'DOWN', cache: 'UP', mail: 'degraded', status: 'DOWN' } },
    { severity: 'critical', text: 'DOWN: db, mail', details: [] },
  ],
  [
    'an error in words',
    { status: 'error', error: { code: 'error' } },
    { severity: 'critical', text: 'error', details: [] },
  ],
  [
    '.NET',
    { status: 'Unhealthy', entries: { sql: { status: 'Unhealthy' } } },
    { text: 'Unhealthy: sql' },
  ],
  ['a plain flag', { ok: false }, { severity: 'critical', text: 'not healthy' }],
  ['another plain flag', { healthy: false }, { severity: 'critical' }],
])('reads %s', (_, body, expected) => {
  expect(read(body)).toMatchObject(expected as object);
});

test.each<unknown>([
  { status: 'UP' },
  { status: 'pass' },
  { ok: true },
  { status: 200 },
  { status: 'shipped', order: 7 },
  [{ status: 'DOWN' }],
  'DOWN',
  null,
])('takes %j for no complaint', (body) => {
  expect(read(body)).toBeUndefined();
});

test.each(['{"status":"DOWN"', '{'.repeat(60_000), '{"a":'.repeat(10_000), '<html>', ''])(
  'survives what is no JSON',
  (body) => {
    expect(readHealthBody(body)).toBeUndefined();
  },
);

test('is bounded in parts and details', () => {
  const components = Object.fromEntries(
    Array.from({ length: 1_000 }, (_, i) => [`part${i}`, { status: 'DOWN', error: 'x' }]),
  );
  const health = read({ status: 'DOWN', components });
  expect(health?.details).toHaveLength(5);
  expect(health?.text.length).toBeLessThan(60);
});
