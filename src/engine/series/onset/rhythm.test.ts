import { describe, expect, test } from '@jest/globals';
import { observed } from '../../../../test/support/incidents/observations.js';
import { rankRootCauses } from '../../rank-root-causes.js';
import { findOnset } from './onset.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Points of each minute: 10 with a ripple, or what the minute says. */
function minutes(count: number, valueAt: (minute: number) => number | undefined) {
  const times = Array.from({ length: count }, (_, i) => i * MINUTE);
  return {
    times,
    values: times.map((_, i) => valueAt(i) ?? 10 + ((i * 7) % 5) / 10),
  };
}

/** Busy for the first eleven minutes of each hour. */
const hourly = (minute: number) => (minute >= 0 && minute % 60 < 11 ? 90 : undefined);
/** Busy for three minutes of each quarter of an hour, from the second one on. */
const quarterly = (minute: number) => (minute >= 15 && minute % 15 < 3 ? 90 : undefined);

const LENGTH = 6 * 60 + 8;
const QUARTERS = 2 * 60 + 3;

describe('a series that peaks at regular times', () => {
  test.each([
    ['each hour', minutes(LENGTH, hourly)],
    ['each hour, from minute 40 on', minutes(LENGTH - 20, (minute) => hourly(minute - 40))],
    ['each quarter of an hour', minutes(QUARTERS, quarterly)],
    ['downwards', minutes(QUARTERS, (minute) => quarterly(minute) && 1)],
    [
      'a minute late now and then',
      minutes(QUARTERS, (minute) => quarterly(minute - (minute > 60 ? 1 : 0))),
    ],
  ])('has no onset in its last peak: %s', (_, series) => {
    expect(findOnset(series)).toBeUndefined();
  });

  test.each([
    ['is much higher', (minute: number) => quarterly(minute) && (minute >= 120 ? 300 : 90), 120],
    ['does not end', (minute: number) => (minute >= 105 ? 90 : quarterly(minute)), 105],
    [
      'comes after others at no regular times',
      (minute: number) => ([45, 75].includes(minute - (minute % 15)) ? 10 : quarterly(minute)),
      120,
    ],
  ])('has one if its last peak %s', (_, valueAt, at) => {
    expect(findOnset(minutes(QUARTERS, valueAt))?.at).toBe(at * MINUTE);
  });

  test('has one if it is high between its peaks', () => {
    const valueAt = (minute: number) => quarterly(minute) ?? (minute >= 97 ? 40 : undefined);
    expect(findOnset(minutes(QUARTERS, valueAt))?.at).toBe(97 * MINUTE);
  });
});

test('a failure that recurs has an onset, since it was not there before', () => {
  const valueAt = (minute: number) => (minute >= 75 ? quarterly(minute) : undefined);
  expect(findOnset(minutes(QUARTERS, valueAt))?.at).toBe(120 * MINUTE);
});

test('an alert about the peak of each hour is no failure', () => {
  const judge = (valueAt: (minute: number) => number | undefined) => {
    const cpu = {
      name: 'cpu_usage_percent',
      node: 'shop',
      labels: {},
      ...minutes(LENGTH, valueAt),
    };
    const labels = { service: 'shop', metric: cpu.name };
    const alerts = [{ labels, annotations: { summary: 'CPU is high' } }];
    const frame = {
      start: 0,
      now: LENGTH * MINUTE,
      reportedAt: 6 * HOUR + 6 * MINUTE,
    };
    return rankRootCauses(observed({ frame, alerts, series: [cpu] }), '');
  };
  expect(judge(hourly)).toMatchObject({
    healthy: true,
    refutation: 'cpu_usage_percent of shop has been as high at regular times before',
  });
  expect(judge((minute) => (minute >= 5 * 60 ? 90 : hourly(minute))).healthy).toBe(false);
});
