import { expect, test } from '@jest/globals';
import { symptomStrengths } from './symptoms.js';

const shownBy = (text: string) => [...symptomStrengths([{ text, weight: 1, from: 'log' }]).keys()];

test.each([
  ['http_400_ratio', 'client'],
  ['responses_total{code="422"}', 'client'],
  ['HTTPCode_Target_4XX_Count', 'client'],
  ['http_401_total', 'auth'],
  ['answered 403', 'auth'],
  ['pg_locks_waiting', 'lock'],
  ['process 21 still waiting for RowExclusiveLock on relation 16412', 'lock'],
  ['http_503_ratio', 'error'],
  ['Http5xx', 'error'],
  ['container was OOMKilled', 'oom'],
  ['kernel: oom-killer: gfp_mask=0xcc0', 'oom'],
  ['jvm_heap_used_bytes', 'memory'],
  ['HikariPool-1 - Connection is not available', 'pool'],
  ['db_connections_in_use', 'pool'],
  ['latency_p99', 'latency'],
  ['http_requests_total', 'load'],
  ['OpenSSL SSL_connect: SSL_ERROR_SYSCALL', 'tls'],
  ['could not resolve host: db.internal', 'dns'],
  ['kafka_consumergroup_lag_sum', 'queue'],
  ['ReplicaLag', 'queue'],
  ['eventloop_lag_seconds', 'cpu'],
  ['process 21 waits for RowExclusiveLock on relation 16412', 'lock'],
  ['CAS failed after 3 attempts', 'conflict'],
  ['elb_504_per_minute', 'timeout'],
  ['db_sessions_waiting', 'lock'],
])('reads what %s says', (text, symptom) => {
  expect(shownBy(text)).toContain(symptom);
});

test.each([
  'took 4000 ms',
  'took 504 ms',
  'p50 above 400ms',
  'a page of 429 kB',
  'sha 9e400ff',
  'port 15432',
  'order 45001',
])('reads none in %s', (text) => expect(shownBy(text)).toEqual([]));

test.each([
  'kube_deployment_status_replicas',
  'feature_flag_evaluations',
  'the room is cheap, in full bloom',
  'spooler started',
  'a spinner on the page',
  'drops_total',
  'sparse matrix',
  'lossless titles',
  'alert resolved',
  'redisKey',
  'systemfile',
  'block size',
  'invalidation',
  'main_users',
  'realtime output',
  'skilled',
  'invoice 84290',
  'part 14048',
])('reads none in the ordinary words %s', (text) => expect(shownBy(text)).toEqual([]));
