import { describe, expect, test } from '@jest/globals';
import { observed } from '../../../../test/support/incidents/observations.js';
import { LogTemplates } from '../../logs/log-templates.js';
import { rankRootCauses } from '../../rank-root-causes.js';
import { findOnset } from './onset.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Requests in a minute over the day: 20 in the early morning, 200 at seven in the evening. */
const daily = (hour: number): number =>
  20 + 180 * ((1 + Math.cos(((hour - 19) / 24) * 2 * Math.PI)) / 2) ** 2;

/** Points every five minutes, which differ by 3 % at most from what they would be. */
function series(fromHour: number, toHour: number, valueAt: (hour: number) => number) {
  const count = Math.round(((toHour - fromHour) * HOUR) / (5 * MINUTE)) + 1;
  const times = Array.from({ length: count }, (_, i) => fromHour * HOUR + i * 5 * MINUTE);
  const noise = (i: number) => 1 + 0.03 * (((i * 7) % 5) / 2 - 1);
  return { times, values: times.map((at, i) => valueAt(at / HOUR) * noise(i)) };
}

/** Half past seven in the evening of the second day. */
const EVENING = 43.5;

describe('a series with a daily rhythm', () => {
  test.each([
    ['a day and two hours of it', 17.5],
    ['almost two days', 0],
    ['a day and a half', 7.5],
  ])('has no onset on an ordinary evening: %s', (_, from) => {
    expect(findOnset(series(from, EVENING, daily))).toBeUndefined();
    const busier = (hour: number) => daily(hour) * (hour > from + 24 ? 1.3 : 1);
    expect(findOnset(series(from, EVENING, busier))).toBeUndefined();
  });

  test.each([
    ['rises', 3, 1],
    ['falls', 0.1, -1],
  ])('has one where it %s on top of the evening', (_, factor, direction) => {
    const given = series(0, EVENING, (hour) => daily(hour) * (hour > 43 ? factor : 1));
    const onset = findOnset(given);
    expect(onset).toMatchObject({ at: 43 * HOUR + 5 * MINUTE, direction, ramp: false });
    expect(onset?.from).toBeCloseTo(200, -1);
    expect(onset?.to).toBeCloseTo(200 * factor, -2);
  });

  test('has one at night at the level of the day', () => {
    const given = series(0, 28, (hour) => (hour > 27 ? 200 : daily(hour)));
    expect(findOnset(given)).toMatchObject({ at: 27 * HOUR + 5 * MINUTE, direction: 1 });
  });

  test('is usual after the rest of yesterday, even if that had an incident at another time', () => {
    const spell = (hour: number) => daily(hour) * (hour > 20 && hour < 22 ? 3 : 1);
    expect(findOnset(series(0, EVENING, spell))).toBeUndefined();
  });

  test('has the onset of what grows from day to day where it began', () => {
    const onset = findOnset(series(0, EVENING, (hour) => daily(hour) + 20 * hour));
    expect(onset?.direction).toBe(1);
    expect(onset?.at).toBeLessThan(24 * HOUR);
  });
});

test('a series without a rhythm has the onset of its own first points', () => {
  const given = series(0, EVENING, (hour) => (hour > 43 ? 60 : 50));
  expect(findOnset(given)).toMatchObject({ at: 43 * HOUR + 5 * MINUTE, direction: 1 });
});

test('the same hour of the day before, as the normal time, makes an ordinary evening usual', () => {
  const { times, values } = series(18.5, EVENING, daily);
  const isRead = (at: number) => at <= 19.5 * HOUR || at >= 42.5 * HOUR;
  const read = {
    times: times.filter(isRead),
    values: values.filter((_, i) => isRead(times[i] ?? NaN)),
  };
  const normal = { from: 18.5 * HOUR, to: 19.5 * HOUR };
  expect(findOnset(read, EVENING * HOUR, { normal })).toBeUndefined();
});

test('an ordinary evening is healthy where the day before was recorded', () => {
  const judge = (valueAt: (hour: number) => number) => {
    const frame = { start: 7.5 * HOUR, now: EVENING * HOUR };
    const logs = new LogTemplates(frame.start);
    for (let at = frame.start; at < frame.now; at += HOUR)
      logs.add({ at, node: 'shop', severity: 'INFO', body: 'served a page', labels: {} });
    const points = series(7.5, EVENING, valueAt);
    const latency = { name: 'http_request_duration_p99_ms', node: 'shop', labels: {}, ...points };
    return rankRootCauses(observed({ frame, series: [latency], templates: logs.all() }), '');
  };
  expect(judge(daily)).toMatchObject({ healthy: true, causes: [] });
  const slow = judge((hour) => daily(hour) * (hour > 43 ? 3 : 1));
  expect(slow).toMatchObject({ healthy: false, causes: [{ node: 'shop', kind: 'latency' }] });
});

test('an alert about the height of each day is no failure', () => {
  const judge = (valueAt: (hour: number) => number, name = 'process_cpu_usage') => {
    const frame = { start: 0, now: 43 * HOUR, reportedAt: 43 * HOUR };
    const points = series(0, 43, valueAt);
    const alerts = [{ labels: { service: 'shop' }, annotations: { summary: 'CPU is high' } }];
    const cpu = { name, node: 'shop', labels: {}, ...points };
    return rankRootCauses(observed({ frame, alerts, series: [cpu] }), '').healthy;
  };
  expect(judge(daily)).toBe(true);
  expect(judge(() => 50)).toBe(true);
  expect(judge((hour) => daily(hour) * (hour > 42.3 ? 3 : 1))).toBe(false);
});
