import { expect, it } from '@jest/globals';
import { processorMs } from '../../../test/support/processes/processor-time.js';
import { severityOf } from './log-severity.js';

it.each([
  ['ERROR', 'all is well', 'error'],
  ['warning', '', 'warning'],
  ['Information', 'an exception was handled', 'other'],
  ['LOG', 'process 412 still waiting for ShareLock on transaction 9117 after 1000 ms', 'warning'],
  ['LOG', 'checkpoint complete: wrote 8120 buffers (1.5%)', 'other'],
  ['50', 'a line of pino', 'error'],
  ['40', '', 'warning'],
  ['30', '', 'other'],
  ['3', 'a line of syslog', 'error'],
  ['', '2026-01-01T10:00:00Z ERROR cannot connect', 'error'],
  ['', '2026-01-01 10:00:00,123 [main] WARN  c.s.Orders - slow', 'warning'],
  ['', 'time="10:00" level=error msg="no room"', 'error'],
  ['', '{"level":"warn","msg":"retry"}', 'warning'],
  ['', '{"level":50,"msg":"broken"}', 'error'],
  ['', '{"ts":1,"log_level":"ERROR","text":"broken"}', 'error'],
  ['', '[2026-06-25 14:13:00,000: ERROR/ForkPoolWorker-1] Task failed', 'error'],
  ['', '{"lvlname":"WARNING","text":"broken"}', 'warning'],
  [
    '',
    '10.0.0.4 - - [09/Jun/2026:02:00:00 +0000] "GET /a?b=c HTTP/1.1" 502 157 "-" "curl"',
    'error',
  ],
  ['', '10.0.0.4 - - [09/Jun/2026:02:00:00 +0000] "GET /500 HTTP/1.1" 200 500 "-" "curl"', 'other'],
  [
    '',
    'haproxy[1180]: 10.2.8.1:51300 [05/May/2026:03:00:09.551] fe be/app1 0/0/1/34/+35 503 412 - - ----',
    'error',
  ],
  [
    '',
    'haproxy[1180]: 10.2.8.1:51300 [05/May/2026:03:00:09.551] fe be/app1 0/0/1/34/35 200 512 - - ----',
    'other',
  ],
  ['', '{"path":"/a","status":503,"took":12}', 'error'],
  ['', 'path=/a status=200 bytes=503', 'other'],
  ['', 'E0618 15:04:05.123456 1 controller.go:114] no endpoints', 'error'],
  ['', '2026/01/01 10:00:00 [error] 7#7: *1 connect() failed', 'error'],
  [
    '',
    '2026/01/01 10:00:00 [error] 7#7: *1 access forbidden by rule, client: 127.0.0.1, request: "GET /no HTTP/1.1"',
    'warning',
  ],
  ['error', 'AH01630: client denied by server configuration: /srv/status', 'warning'],
  ['', 'java.sql.SQLTransientConnectionException: no connection', 'error'],
  ['', 'Caused by: org.postgresql.util.PSQLException: FATAL', 'error'],
  ['', 'TypeError: cannot unpack', 'error'],
  ['', 'Error rate is 0', 'other'],
  ['', 'Unhandled exception. System.NullReferenceException: Object reference', 'error'],
  ['', 'ErrorHandler is registered', 'other'],
  ['', '<11>1 2026-01-01T10:00:00Z host-1 app 88 - - no room', 'error'],
  ['', '<14>1 2026-01-01T10:00:00Z host-1 app 88 - - all is well', 'other'],
  ['', '2026-01-01 10:00:00,123 - shop.orders - ERROR - no room', 'error'],
  ['', 'fail: Shop.Orders.OrderService[0] no room', 'error'],
  ['', 'info: Shop.Orders.OrderService[0] an exception was handled', 'other'],
  ['', 'INFO no error was found', 'other'],
  ['info', 'zone corp.example/IN: expired', 'warning'],
  ['info', 'zone corp.example/IN: loaded serial 7', 'other'],
  ['6', 'kernel: nf_conntrack: table full, dropping packet', 'warning'],
  ['', 'kernel: EXT4-fs (sda1): mounted filesystem', 'other'],
  ['ERROR', 'exec format error', 'error'],
  ['', 'GET /errors 200', 'other'],
  ['', 'panic: nil map', 'error'],
])('takes severity "%s" with the line "%s" as %s', (severity, body, expected) => {
  expect(severityOf({ severity, body })).toBe(expected);
});

it('reads a hostile line in no time', () => {
  const before = processorMs();
  for (const body of [
    'a '.repeat(8_000),
    '['.repeat(16_000),
    '-'.repeat(16_000),
    'level'.repeat(3_000),
    'a.'.repeat(8_000),
    'Error'.repeat(3_000),
  ])
    severityOf({ severity: '', body });
  expect(processorMs() - before).toBeLessThan(5_000);
});
