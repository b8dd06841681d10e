import { expect, test } from '@jest/globals';
import { alert, line, metric, sceneOf, step } from '../../../test/support/scenes/scene.js';
import { rankRootCauses } from '../rank-root-causes.js';

const page = alert('web', 'HighErrorRate', 'web fails');
const failing = [
  step('web', 'http_server_errors_ratio', [0.001, 0.2]),
  line('orders-db', 'FATAL: could not write: No space left on device'),
];
const early = (level: string, minute: number) =>
  line('orders', `level=${level} msg="gc overhead, spent 400 ms collecting"`, minute);
const first = (...parts: Parameters<typeof sceneOf>[1][]) =>
  rankRootCauses(sceneOf('web > orders > orders-db', page, ...failing, ...parts), '').causes[0];

test('a warning that chance brings long before the report is not the first failure', () => {
  expect(first(early('warn', 31))).toMatchObject({ node: 'orders-db', kind: 'disk-full' });
});

test('of several nodes in a line, the one that failed is named before it', () => {
  const says = 'level=error msg="orders-db failed 3 times, giving up; going on with orders"';
  const { causes } = rankRootCauses(
    sceneOf('web > orders > orders-db', page, line('web', says)),
    '',
  );
  expect(causes.find(({ node }) => node === 'orders')?.for.join() ?? '').not.toContain('names it');
  expect(causes[0]).toMatchObject({ node: 'orders-db' });
});

test('a change that came with more requests, before requests fail, is not too late', () => {
  const change = {
    kind: 'config' as const,
    at: Date.parse('2026-03-02T10:38:00Z'),
    node: 'web',
    id: 'c1',
    diff: '-cpu_limit: 4000m\n+cpu_limit: 400m',
  };
  const seen = sceneOf('web > orders', page, { change }, [
    metric('web', 'http_requests_per_second', (minute) => (minute < 33 ? 100 : 160 + (minute % 3))),
    step('web', 'container_cpu_cfs_throttled_periods_ratio', [0.01, 0.7]),
    step('web', 'http_server_request_duration_seconds_p99', [0.2, 3]),
  ]);
  const { causes, changes } = rankRootCauses(seen, '');
  expect(causes[0]).toMatchObject({ node: 'web', change: 'c1' });
  expect(changes[0]?.against).toEqual([]);
});
