import {
  failingCallers,
  fault,
  page,
  slowCallers,
  slowPage,
  type KnownFault,
} from './known-fault.js';
import { alert, counter, metric, ONSET, ramp, step } from './scene.js';

/** Faults that show in metrics alone, named as exporters and frameworks name them. */
export const FAULTS_IN_METRICS: readonly KnownFault[] = [
  fault('a busy processor, of cAdvisor', 'cpu-saturated', 'payments', slowPage, slowCallers, [
    counter('payments', 'container_cpu_usage_seconds_total', [0.2, 1.9]),
    step('payments', 'http_server_request_duration_seconds_p99', [0.09, 2.2]),
  ]),
  fault('a busy processor, of Micrometer', 'cpu-saturated', 'payments', slowPage, slowCallers, [
    step('payments', 'process_cpu_usage', [0.12, 0.99]),
    step('payments', 'http_server_request_duration_seconds_p99', [0.09, 2.2]),
  ]),
  fault('a processor that is held back', 'cpu-throttled', 'payments', slowPage, slowCallers, [
    counter('payments', 'container_cpu_cfs_throttled_periods_total', [0, 8]),
    counter('payments', 'container_cpu_cfs_throttled_seconds_total', [0, 0.7]),
    counter('payments', 'container_cpu_usage_seconds_total', [0.2, 0.5]),
    step('payments', 'http_server_request_duration_seconds_p99', [0.09, 2.2]),
  ]),
  fault('memory that grows for hours', 'memory-leak', 'orders', slowPage, [
    ramp('orders', 'jvm_memory_used_bytes', [3e8, 1.9e9], 10),
    step('orders', 'jvm_gc_pause_seconds_max', [0.01, 1.1]),
    step('web', 'http_server_request_duration_seconds_p99', [0.2, 2.5]),
    step('orders', 'http_server_request_duration_seconds_p99', [0.1, 2.3]),
  ]),
  fault(
    'memory that grows until the kernel ends it',
    'memory-leak',
    'orders',
    page,
    failingCallers,
    [
      ramp('orders', 'jvm_memory_used_bytes', [3e8, 1.9e9], 10),
      metric('orders', 'container_oom_events_total', (minute) => (minute < 50 ? 0 : 1)),
    ],
  ),
  fault('memory that steps', 'memory', 'orders', slowPage, [
    step('orders', 'process_resident_memory_bytes', [3e8, 2.9e9]),
    step('web', 'http_server_request_duration_seconds_p99', [0.2, 0.5]),
    step('orders', 'http_server_request_duration_seconds_p99', [0.1, 0.4]),
  ]),
  fault('a container that the kernel ends', 'out-of-memory', 'orders', page, failingCallers, [
    counter('orders', 'container_oom_events_total', [0, 0.03]),
    step('orders', 'container_memory_working_set_bytes', [3e8, 5e8]),
    counter('orders', 'kube_pod_container_status_restarts_total', [0, 0.03]),
  ]),
  fault('a volume that fills', 'disk-full', 'orders-db', page, failingCallers, [
    ramp('orders-db', 'kubelet_volume_stats_used_bytes', [5e10, 1e11]),
    metric('orders-db', 'kubelet_volume_stats_capacity_bytes', () => 1e11),
    step('orders-db', 'pg_up', [1, 0]),
  ]),
  fault('packets that are lost', 'network-delay', 'orders-db', slowPage, slowCallers, [
    counter('orders-db', 'node_netstat_Tcp_RetransSegs', [0.2, 300]),
    counter('orders-db', 'container_network_receive_packets_dropped_total', [0, 150]),
  ]),
  fault('more traffic than ever', 'traffic-surge', 'orders', slowPage, [
    metric(
      'web',
      'nginx_http_requests_per_sec',
      (minute) => (minute < ONSET - 3 ? 100 : 900) * (1 + (minute % 3) / 50),
    ),
    ...slowCallers,
    step('web', 'process_cpu_usage', [0.2, 0.97]),
    step('orders', 'process_cpu_usage', [0.2, 0.8]),
  ]),
  fault(
    'a neighbour that takes the processor',
    'noisy-neighbour',
    'orders',
    slowPage,
    slowCallers,
    [
      step('orders', 'node_cpu_steal_percent', [0.4, 45]),
      step('orders', 'process_cpu_usage', [0.3, 0.3]),
    ],
  ),
  fault('a node that is slow itself', 'latency', 'payments', slowPage, slowCallers, [
    step('payments', 'http_server_request_duration_seconds_p99', [0.09, 2.2]),
  ]),
  fault(
    'a backlog, of CloudWatch',
    'queue-lag',
    'orders',
    alert('orders', 'QueueAge', 'orders: the oldest message is old'),
    [
      ramp('orders', 'ApproximateAgeOfOldestMessage', [2, 1_900], ONSET),
      ramp('orders', 'ApproximateNumberOfMessagesVisible', [5, 90_000], ONSET),
    ],
  ),
  fault('a pool, of OpenTelemetry', 'connection-pool-exhausted', 'orders', slowPage, slowCallers, [
    step('orders', 'db.client.connection.pending_requests', [0, 60]),
    step('orders', 'db.client.connection.count', [4, 20]),
  ]),
  fault('throttled writes, of CloudWatch', 'rate-limited', 'orders-db', page, failingCallers, [
    step('orders-db', 'WriteThrottleEvents', [0, 400]),
    step('orders-db', 'ConsumedWriteCapacityUnits', [200, 1000]),
  ]),
];
