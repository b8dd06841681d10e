import { expect, test } from '@jest/globals';
import type { Series } from '../../domain/telemetry/records.js';
import { endedTargets } from './ended-targets.js';

const MINUTE = 60_000;
const frame = { start: 0, now: 10 * MINUTE };
const series = (name: string, labels: Record<string, string>, values: number[]): Series => ({
  name,
  labels,
  node: 'db',
  values,
  times: values.map((_, i) => i * MINUTE),
});
const up = (...values: number[]) => series('up', { instance: 'host-1:9200' }, values);

test('a target that cannot be scraped any more is down', () => {
  expect(endedTargets([up(1, 1, 1, 0, 0, 0)], frame)).toEqual([
    { node: 'db', at: 3 * MINUTE, isProcess: false, says: 'host-1:9200 is down (up went to 0)' },
  ]);
});

test('its process ended if another target of its machine continues', () => {
  const host = series('node_load1', { instance: 'host-1:9100' }, [1, 1, 1, 1, 1, 1, 1]);
  const [found] = endedTargets([up(1, 1, 1, 0, 0, 0), host], frame);
  expect(found).toMatchObject({ isProcess: true });
});

test('a failed unit of systemd is an ended process', () => {
  const labels = { state: 'failed', name: 'db.service', instance: 'host-1:9100' };
  const failed = series('node_systemd_unit_state', labels, [0, 0, 1, 1, 1]);
  expect(endedTargets([failed], frame)).toEqual([
    { node: 'db', at: 2 * MINUTE, isProcess: true, says: 'systemd reports db.service as failed' },
  ]);
});

test.each([
  ['one that answers', up(1, 1, 1, 1, 1)],
  ['one that was always down', up(0, 0, 0, 0, 0)],
  ['one that is back', up(1, 0, 0, 0, 1)],
  ['two failed scrapes', up(1, 1, 1, 0, 0)],
  ['an active unit', series('node_systemd_unit_state', { state: 'active' }, [0, 1, 1, 1, 1])],
])('passes over %s', (_, given) => {
  expect(endedTargets([given], frame)).toEqual([]);
});
