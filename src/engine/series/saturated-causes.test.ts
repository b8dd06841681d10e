import { expect, test } from '@jest/globals';
import { observed, steppedSeries } from '../../../test/support/incidents/observations.js';
import { saturatedCauses } from './saturated-causes.js';

test.each([
  ['container.cpu.utilization', 0.1, 0.97, 'cpu-saturated'],
  ['jvm_heap_usage_percent', 20, 96, 'memory'],
  ['disk_used_percent', 20, 99, 'disk-full'],
  ['thread_pool_usage_percent', 10, 100, 'capacity'],
])('names what %s ran out of', (name, usual, now, kind) => {
  const { frame } = observed();
  const [cause] = saturatedCauses([steppedSeries('db', name, usual, now)], frame);
  expect(cause).toMatchObject({ node: 'db', kind });
  expect(cause?.score).toBeGreaterThan(6);
});

test('names nothing that is half full', () => {
  const series = [steppedSeries('db', 'disk_used_percent', 20, 50)];
  expect(saturatedCauses(series, observed().frame)).toEqual([]);
});
