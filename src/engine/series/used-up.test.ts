import { expect, test } from '@jest/globals';
import { steppedSeries } from '../../../test/support/incidents/observations.js';
import { isLimit, meaningOf } from './meaning-of-metric.js';
import { reachedLimit } from './used-up.js';

const constant = (name: string, value: number, node = 'db') => ({
  ...steppedSeries(node, name, value, value),
  node,
});
const use = (name: string, value: number) => constant(name, value);

test.each([
  ['pg_settings_max_connections', true],
  ['hikaricp_connections_max', true],
  ['process_max_fds', true],
  ['kube_pod_container_resource_limits_cpu', true],
  ['api_rate_limit_hits_total', false],
  ['limit_exceeded_total', false],
  ['http_server_requests_seconds_max', false],
  ['pool_max_used', false],
])('%s is a limit: %s', (name, expected) => expect(isLimit(name)).toBe(expected));

test('less of a limit is worse', () => {
  expect(meaningOf('hikaricp_connections_max')).toMatchObject({ worse: -1, spreads: false });
  expect(meaningOf('hikaricp_connections_active')).toMatchObject({ worse: 1 });
});

test('connections that are as many as the server allows have reached its limit', () => {
  const limit = constant('pg_settings_max_connections', 200);
  const found = reachedLimit(use('pg_stat_activity_count', 198), [limit]);
  expect(found).toEqual({ limit: 200, name: 'pg_settings_max_connections' });
});

test.each([
  ['half of it', use('pg_stat_activity_count', 100), constant('pg_settings_max_connections', 200)],
  [
    'more than it',
    use('pg_stat_activity_count', 900),
    constant('pg_settings_max_connections', 200),
  ],
  [
    'that of another node',
    use('pg_stat_activity_count', 200),
    constant('pg_settings_max_connections', 200, 'other'),
  ],
  [
    'that of another resource',
    use('hikaricp_connections_active', 200),
    constant('process_max_fds', 200),
  ],
])('does not reach %s', (_, series, limit) => {
  expect(reachedLimit(series, [limit])).toBeUndefined();
});
