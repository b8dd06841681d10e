import { expect, test } from '@jest/globals';
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
const since = (series: ReturnType<typeof kills>, now = NOW) =>
  onsetOf(series, now, undefined, QUIET)?.at;

test('kills now and then begin with the first', () => {
  expect(since(kills((minute) => minute >= 31 && minute % 5 === 1))).toBe(31 * MINUTE);
});

test.each([
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
