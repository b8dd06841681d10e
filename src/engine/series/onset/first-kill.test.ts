import { expect, test } from '@jest/globals';
import type { Series } from '../../../domain/telemetry/records.js';
import { onsetOf } from './first-kill.js';

const MINUTE = 60_000;
const NOW = 60 * MINUTE;
const QUIET = 20 * MINUTE;
const times = Array.from({ length: 60 }, (_, i) => i * MINUTE);
const kills = (isKill: (minute: number) => boolean, name = 'container_oom_events_total') => ({
  name,
  node: 'api',
  labels: {},
  times,
  values: times.map((_, minute) => (isKill(minute) ? 1 : 0)),
});
const since = (series: Series, now = NOW) => onsetOf(series, now, undefined, QUIET)?.at;

test('kills now and then begin with the first', () => {
  expect(since(kills((minute) => minute >= 31 && minute % 5 === 1))).toBe(31 * MINUTE);
});

const restarts = (...minutes: number[]) => ({
  ...kills((minute) => minutes.includes(minute), 'kube_pod_container_status_restarts_total'),
  values: times.map((_, minute) => (minutes.includes(minute) ? 1 / 60 : 0)),
  isRate: true,
});

test('a process that ends again and again is failing from its first end on', () => {
  expect(since(restarts(41, 47))).toBe(41 * MINUTE);
});

test.each([
  ['a process that was started again once', restarts(41), NOW],
  ['a process that ends as often as before', restarts(4, 41, 47), NOW],
  ['kills that are as usual', kills((minute) => minute % 5 === 1), NOW],
  ['a process that was never killed', kills(() => false), NOW],
  ['a kill that is not yet to be seen', kills((minute) => minute === 50), 45 * MINUTE],
  ['another counter', kills((minute) => minute >= 31 && minute % 5 === 1, 'widgets'), NOW],
])('%s: no onset', (_, series, now) => {
  expect(since(series, now)).toBeUndefined();
});

test('a clock that nothing sets goes wrong from the first hours of a recording on', () => {
  const minutes = Array.from({ length: 360 }, (_, i) => i);
  const offset = {
    name: 'node_timex_offset_seconds',
    node: 'api',
    labels: {},
    times: minutes.map((minute) => minute * MINUTE),
    values: minutes.map((minute) => 4e-4 + 0.3 * Math.max(0, minute - 120)),
  };
  expect(onsetOf(offset, 360 * MINUTE, undefined, QUIET)).toMatchObject({
    at: 121 * MINUTE,
    direction: 1,
  });
});
