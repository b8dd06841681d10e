import { describe, expect, test } from '@jest/globals';
import { readHealthBody } from './health-body.js';

const read = (value: unknown) => readHealthBody(JSON.stringify(value)).failure;

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
    { severity: 'critical', text: 'DOWN: db, mail', parts: ['db', 'mail'], details: [] },
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
  [
    'a flag with an error',
    { success: false, error: 'could not connect to db:5432' },
    { severity: 'critical', text: 'not healthy', details: ['could not connect to db:5432'] },
  ],
  [
    'a part beside the status',
    { status: 'ok', database: 'down', cache: 'connected', log_level: 'error' },
    { severity: 'warning', text: 'ok except for database' },
  ],
  [
    'a part beside a flag',
    { success: true, db: 'Disconnected' },
    { severity: 'warning', text: 'healthy except for db' },
  ],
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
    expect(readHealthBody(body)).toEqual({ isCut: false });
  },
);

test.each<[string, object, string, string[]]>([
  [
    'a node that says it is ok',
    { status: 'ok', checks: { redis: { status: 'fail' } } },
    'ok except for redis',
    [],
  ],
  [
    'health+json',
    {
      status: 'pass',
      checks: { 'redis:connections': [{ status: 'pass' }, { status: 'fail', output: 'refused' }] },
    },
    'pass except for redis:connections',
    ['redis:connections: refused'],
  ],
  [
    'Spring Boot, a part of a part',
    {
      status: 'UP',
      components: {
        db: {
          status: 'UP',
          components: { replica: { status: 'DOWN', details: { error: 'gone' } } },
        },
      },
    },
    'UP except for db.replica',
    ['replica: gone'],
  ],
  [
    'MicroProfile, a list',
    {
      status: 'UP',
      checks: [
        { name: 'live', status: 'UP' },
        { name: 'db', status: 'DOWN' },
      ],
    },
    'UP except for db',
    [],
  ],
  [
    'ASP.NET',
    { status: 'Healthy', entries: { sql: { status: 'Unhealthy', exception: 'Login failed' } } },
    'Healthy except for sql',
    ['sql: Login failed'],
  ],
  [
    'ASP.NET, by results',
    { status: 'Healthy', results: { sql: { status: 'Degraded', description: 'slow' } } },
    'Healthy except for sql',
    ['sql: slow'],
  ],
  [
    'terminus',
    { status: 'ok', details: { redis: { status: 'down', message: 'ECONNREFUSED' } } },
    'ok except for redis',
    ['redis: ECONNREFUSED'],
  ],
  ['a flag', { ok: true, dependencies: { mail: 'down' } }, 'healthy except for mail', []],
  ['no word about itself', { checks: { redis: { status: 'fail' } } }, 'not healthy: redis', []],
])('a part that is not well is a warning: %s', (_, body, text, details) => {
  const [, part = ''] = text.split(/ except for |: /);
  expect(read(body)).toEqual({ severity: 'warning', text, parts: [part], details });
});

test.each<object>([
  // A list of what the service works on is no list of its parts.
  { results: [{ id: 7, status: 'failed' }] },
  { details: { order: { status: 'failed' } } },
  { status: 'shipped', details: { payment: { status: 'failed' } } },
  { status: 'UP', components: { db: { status: 'UP', details: { state: 'error' } } } },
])('is no complaint of a part: %j', (body) => {
  expect(read(body)).toBeUndefined();
});

describe('a body that was cut', () => {
  const rest = `"log":"${'x'.repeat(100)}`;

  test('is not healthy if nothing in the part that was read is wrong', () => {
    for (const cut of [`{"status":"UP",${rest}`, '{"status":"U', `\ufeff  {${rest}`, 'all is well'])
      expect(readHealthBody(cut, false)).toEqual({ isCut: true });
  });

  test('says what stands in the part that was read', () => {
    expect(
      readHealthBody(`{"status":"DOWN","components":{"db":{"status":"DOWN"},${rest}`, false),
    ).toEqual({
      failure: { severity: 'critical', text: 'DOWN: db', parts: ['db'], details: [] },
      isCut: true,
    });
  });

  test('is none of a page', () => {
    expect(readHealthBody('<html>{"status":"DOWN"', false)).toEqual({ isCut: false });
  });
});

test('more parts, or deeper ones, than are read are not healthy', () => {
  const checks = Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [i, { status: 'up' }]));
  expect(readHealthBody(JSON.stringify({ status: 'UP', checks }))).toEqual({ isCut: true });
  let deep: object = { status: 'DOWN' };
  for (let i = 0; i < 10; i++) deep = { status: 'UP', components: { part: deep } };
  expect(readHealthBody(JSON.stringify(deep))).toEqual({ isCut: true });
  const text = `{"status":"UP",${'"checks":{"a":{"status":"UP",'.repeat(2_000)}`;
  expect(readHealthBody(text, false).isCut).toBe(true);
});

test('is bounded in parts and details', () => {
  const components = Object.fromEntries(
    Array.from({ length: 1_000 }, (_, i) => [`part${i}`, { status: 'DOWN', error: 'x' }]),
  );
  const health = read({ status: 'DOWN', components });
  expect(health?.details).toHaveLength(5);
  expect(health?.text).toBe('DOWN: part0, part1, part2, part3, part4 and 995 more');
  const first = JSON.stringify({ status: 'DOWN', components }).slice(0, 400);
  expect(readHealthBody(first, false).failure?.text).toMatch(/ and at least \d more$/);
});
