import { expect, test } from '@jest/globals';
import { foundInMetrics } from './from-graph-metrics.js';

test('finds calls that service graphs count, and which job a node is', () => {
  const { nodes, edges } = foundInMetrics(
    [
      [
        { labels: { client: 'web', server: 'cart' }, value: 41.6 },
        { labels: { client: 'cart', server: 'orders', connection_type: 'database' }, value: 3 },
        { labels: { client: 'user', server: 'web' }, value: 9 },
      ],
      [{ labels: { source_workload: 'web', destination_service_name: 'rates' }, value: 7 }],
    ],
    [{ labels: { job: 'web' }, value: 1 }],
    'prom',
  );
  expect(edges.map(({ node, on, from }) => `${node} > ${on}: ${from}`)).toEqual([
    'web > cart: traces_service_graph_request_total, 42 in an hour',
    'cart > orders: traces_service_graph_request_total, 3 in an hour',
    'web > rates: istio_requests_total, 7 in an hour',
  ]);
  expect(nodes.find(({ id }) => id === 'web')?.in).toEqual({ prom: 'job="web"' });
  expect(nodes.find(({ id }) => id === 'orders')).toMatchObject({ kind: 'database' });
});
