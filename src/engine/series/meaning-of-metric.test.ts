import { expect, test } from '@jest/globals';
import { countsFailures, meaningOf, nameOfSeries } from './meaning-of-metric.js';

test.each([
  ['container_cpu_usage_seconds_total', 'cpu-saturated'],
  ['process.cpu.utilization', 'cpu-saturated'],
  ['CPUUtilization', 'cpu-saturated'],
  ['container_cpu_cfs_throttled_periods_total', 'cpu-throttled'],
  ['node_cpu_steal_percent', 'noisy-neighbour'],
  ['jvm_memory_used_bytes', 'memory'],
  ['go_memstats_heap_inuse_bytes', 'memory'],
  ['dotnet.gc.last_collection.memory.committed_size', 'memory'],
  ['container_oom_events_total', 'out-of-memory'],
  ['kubelet_volume_stats_used_bytes', 'disk-full'],
  ['FreeStorageSpace', 'disk-full'],
  ['oracledb_tablespace_used_percent', 'disk-full'],
  ['oracledb_tablespace_free', 'disk-full'],
  ['hikaricp_connections_pending', 'connection-pool-exhausted'],
  ['DatabaseConnections', 'connection-pool-exhausted'],
  ['kafka_consumergroup_lag', 'queue-lag'],
  ['ApproximateAgeOfOldestMessage', 'queue-lag'],
  ['rabbitmq_queue_messages_ready', 'queue-lag'],
  ['rabbitmq_queue_ack_rate', 'queue-lag'],
  ['rabbitmq_queue_messages_acknowledged_total', 'queue-lag'],
  ['rabbitmq_queue_messages_unacknowledged', 'queue-lag'],
  ['WriteThrottleEvents', 'rate-limited'],
  ['redis_keyspace_hit_ratio', 'cache'],
  ['mysql_global_status_innodb_row_lock_current_waits', 'lock'],
  ['mysql_global_status_table_locks_waited', 'lock'],
  ['hubble_drop_total{reason="Policy denied"}', 'network-policy'],
  ['node_netstat_Tcp_RetransSegs', 'network-delay'],
  ['http.server.request.duration', 'latency'],
  ['istio_request_duration_milliseconds', 'latency'],
  ['TargetResponseTime', 'latency'],
  ['mysql_global_status_queries_per_sec', 'load'],
  ['pg_stat_statements_mean_exec_time_ms', 'slow-query'],
  ['HTTPCode_Target_5XX_Count', 'exception'],
  ['node_timex_offset_seconds', 'infrastructure'],
  ['node_timex_sync_status', 'infrastructure'],
  ['ipmi_fan_speed_rpm', 'infrastructure'],
  ['DCGM_FI_DEV_SM_CLOCK', 'infrastructure'],
  ['DCGM_FI_DEV_XID_ERRORS', 'infrastructure'],
  ['node_hwmon_temp_celsius', 'infrastructure'],
  ['smartctl_device_media_errors', 'infrastructure'],
  ['node_network_receive_frame_total', 'load'],
  ['template_renders_total', undefined],
  ['nodejs_eventloop_lag_p99_seconds', 'cpu-saturated'],
  ['DiskQueueDepth', 'capacity'],
  ['node_sockstat_TCP_tw', 'capacity'],
  ['aws_rds_burst_balance_average', 'capacity'],
  ['oracledb_top_sql_buffer_gets_per_exec', 'slow-query'],
  ['oracledb_activity_full_table_scans_long', 'slow-query'],
  ['pg_stat_activity_max_tx_duration', 'slow-query'],
  ['mysql_global_status_queries', 'load'],
  ['jboss_datasource_WaitCount', 'connection-pool-exhausted'],
  ['oracledb_wait_time_user_io', 'capacity'],
  ['pg_locks_count{mode="accessexclusivelock"}', 'lock'],
  ['rtp_jitter_ms', 'network-delay'],
  ['app_panics_total', 'crash'],
  ['frontend_workload', 'load'],
  ['providerRPC_MCR', 'load'],
  ['csf_call_count', 'load'],
  ['container_network_receive_MB.eth0', 'load'],
  ['Outgoing_network_traffic', 'load'],
  ['rate_received_packets', 'load'],
  ['frontend_lat_50', 'latency'],
  ['HTTP_RT', 'latency'],
  ['mrt', 'latency'],
  ['Processing time avg', 'latency'],
  ['sr', 'exception'],
  ['succee_rate', 'exception'],
  ['OSLinux_FILESYSTEM_-apps_FSCapacity', 'disk-full'],
  ['OSLinux_LOCALDISK_LOCALDISK-sda_DSKPercentBusy', 'capacity'],
  ['system.io.await', 'capacity'],
  ['frontend_socket', 'capacity'],
  ['Sess_Connect', 'connection-pool-exhausted'],
  ['Proc_Used_Pct', 'connection-pool-exhausted'],
  ['system_load', 'cpu-saturated'],
])('takes %s for a sign of %s', (name, kind) => {
  expect(meaningOf(name)?.kind).toBe(kind);
});

test.each(['redis_memory_max_bytes', 'unbound_answer_rcodes_total{rcode="NOERROR"}'])(
  'takes %s for no sign of a failure',
  (name) => expect(meaningOf(name)).toBeUndefined(),
);

test.each([
  ['FreeableMemory', -1],
  ['node_filesystem_avail_bytes', -1],
  ['redis_keyspace_hit_ratio', -1],
  ['kube_deployment_status_replicas_ready', -1],
  ['process_resident_memory_bytes', 1],
])('knows in which direction %s is worse', (name, worse) => {
  expect(meaningOf(name)?.worse).toBe(worse);
});

test.each([
  ['http_requests_total', { code: '500', instance: 'a:1' }, 'exception', 1],
  ['http_requests_total', { status: '200' }, 'load', 1],
  ['http_requests_total', { status_code: '429' }, 'rate-limited', 1],
  ['grpc_server_handled_total', { grpc_code: 'Unavailable' }, 'exception', 1],
  ['grpc_server_handled_total', { grpc_code: 'Internal' }, 'exception', 1],
  ['grpc_server_handled_total', { grpc_code: 'DeadlineExceeded' }, 'timeout', 1],
  ['grpc_server_handled_total', { grpc_code: 'ResourceExhausted' }, 'rate-limited', 1],
  ['grpc_server_handled_total', { grpc_code: 'PermissionDenied' }, 'auth', 1],
  ['envoy_cluster_upstream_rq_xx', { envoy_response_code_class: '5' }, 'exception', 1],
  ['http_server_requests_seconds_count', { status: '500' }, 'exception', 1],
  ['http_server_requests_seconds_count', { status: '200' }, 'load', 1],
  ['http_server_request_duration_seconds_count', {}, 'load', 1],
  ['http_requests_total', { code: '401' }, 'auth', 1],
  ['coredns_dns_responses_total', { rcode: 'SERVFAIL' }, 'exception', 1],
  ['node_cpu_seconds_total', { mode: 'steal' }, 'noisy-neighbour', 1],
  ['node_cpu_seconds_total', { mode: 'idle' }, 'cpu-saturated', -1],
])('reads %s with the labels %j as %s', (name, labels, kind, worse) => {
  expect(meaningOf(nameOfSeries({ name, labels }))).toMatchObject({ kind, worse });
});

test('names a series by the labels that change what it says', () => {
  const labels = { code: '500', instance: 'a:1', pod: 'shop-0' };
  expect(nameOfSeries({ name: 'http_requests_total', labels })).toBe(
    'http_requests_total{code="500"}',
  );
  expect(nameOfSeries({ name: 'up', labels: { job: 'shop' } })).toBe('up');
});

test('says nothing of a name that says nothing', () => {
  expect(meaningOf('build_info')).toBeUndefined();
});

test('knows what callers of a failing node show too', () => {
  expect(meaningOf('http_requests_errors_ratio')?.spreads).toBe(true);
  expect(meaningOf('process_cpu_usage')?.spreads).toBe(false);
});

test.each([
  [{ code: '503' }, true],
  [{ code: '404' }, true],
  [{ status: '429' }, true],
  [{ outcome: 'SERVER_ERROR' }, true],
  [{ grpc_code: 'Unknown' }, true],
  [{ code: '200' }, false],
  [{ grpc_code: 'OK' }, false],
  [{}, false],
])('requests with the labels %j count failures: %s', (labels, failures) => {
  expect(countsFailures({ name: 'requests_total', labels })).toBe(failures);
});

test('a queue that is read slower shows a backlog of its readers', () => {
  expect(meaningOf('rabbitmq_queue_ack_rate')).toMatchObject({ worse: -1, spreads: true });
  expect(meaningOf('rabbitmq_queue_messages_unacknowledged')).toMatchObject({ worse: 1 });
});
