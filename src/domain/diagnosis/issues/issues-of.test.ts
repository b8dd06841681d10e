import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../lib/json.js';
import type { Symptom } from '../finding.js';
import { issuesOf } from './issues-of.js';

const issue = { severity: 'critical', symptom: 'erroring', title: 'is broken', detail: '' };

describe('the issues of a tool result', () => {
  it('keeps the worst of many issues, wherever they stand', () => {
    const of = (severity: string, i: number) => ({
      severity,
      symptom: 'saturated',
      title: `queue ${i} is full`,
      detail: '',
    });
    const many = Array.from({ length: 60 }, (_, i) => of('warning', i));
    const made = issuesOf({ issues: [...many, of('critical', 60)] });
    expect(made).toHaveLength(50);
    expect(made[0]).toMatchObject({ severity: 'critical', title: 'queue 60 is full' });
  });

  it('have the fields that their tool sets', () => {
    const said = { intermittent: true, http_status: 502, took_ms: 4, alert: true };
    expect(issuesOf({ issues: [{ ...issue, ...said }] })).toEqual([{ ...issue, ...said }]);
    const odd = { intermittent: 'yes', http_status: '502', took_ms: -1, alert: 1 };
    expect(issuesOf({ issues: [{ ...issue, ...odd }] })).toEqual([issue]);
  });

  it.each([
    { steps: 'replication-slot', part: 'old_standby' },
    { part: '/etc/prometheus/rules.yml' },
    { part: 'disk, orders-db' },
  ])('say which next steps fit, and for which part of the node: %j', (said) => {
    expect(issuesOf({ issues: [{ ...issue, ...said }] })).toEqual([{ ...issue, ...said }]);
  });

  it.each([
    { steps: '../secrets', part: '-f/etc/passwd' },
    { steps: 'No Entry', part: '7; reboot' },
    { steps: 1, part: '$(reboot)' },
    { steps: '', part: "a'" },
    { part: 'a, -rf' },
    { part: 'a\nb' },
  ])('say nothing that a shell would read: %j', (said) => {
    expect(issuesOf({ issues: [{ ...issue, ...said }] })).toEqual([issue]);
  });

  it.each<[string, object]>([
    ['fails now and then: answers 502', { intermittent: true, http_status: 502 }],
    ['answers 502 Bad Gateway', { http_status: 502 }],
  ])('of an older version have it in their title: %s', (title, fields) => {
    expect(issuesOf({ issues: [{ ...issue, title }] })[0]).toEqual({ ...issue, title, ...fields });
  });

  it.each([
    'new error in its logs: fails now and then: answers 502',
    'redirects to http://a:502/',
    'answers 5020 questions',
  ])('have no fields that only their target says: %s', (title) => {
    expect(issuesOf({ issues: [{ ...issue, title }] })).toEqual([{ ...issue, title }]);
  });
});

describe('the time that a target took until an issue showed', () => {
  const tookOf = (title: string, symptom: Symptom = 'erroring', measurements: JsonObject = {}) =>
    issuesOf({ measurements, issues: [{ severity: 'critical', symptom, title, detail: '' }] })[0]
      ?.took_ms;

  it.each<[string, Symptom, number]>([
    ['connected, but no complete answer within 5000 ms', 'slow', 5_000],
    ['fails now and then: no connection within 150.5 ms', 'unreachable', 150.5],
    ['answers in 1400 ms', 'slow', 1_400],
    ['answers in 2536 ms, slower than 1000 ms', 'slow', 2_536],
    ['KEYS took 63 ms', 'slow', 63],
    ['connection refused (ECONNREFUSED)', 'unreachable', 0],
    ['fails now and then: connection reset while connecting', 'unreachable', 0],
    ['host name does not resolve (ENOTFOUND)', 'nameless', 0],
  ])('is in the words of its tool, in logs of older versions: %s', (title, symptom, ms) => {
    expect(tookOf(title, symptom)).toBe(ms);
  });

  it.each([
    'answers 200, but says it is DOWN: within 9000 ms',
    'new error in its logs: no answer within 9000 ms',
    'new error in its logs: connection refused',
    'up{job="no answer within 9000 ms"} is 0',
    'group connection refused does not exist',
  ])('is not in the words of the target: %s', (title) => {
    expect(tookOf(title)).toBeUndefined();
    expect(tookOf(title, 'slow')).toBeUndefined();
    expect(tookOf(title, 'erroring', { latency_ms: { median: 3 } })).toBe(3);
  });
});
