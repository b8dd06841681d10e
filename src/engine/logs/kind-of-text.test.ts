import { expect, test } from '@jest/globals';
import { kindOfText } from './kind-of-text.js';

test.each([
  ['java.lang.OutOfMemoryError: Java heap space', 'out-of-memory'],
  [
    'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory',
    'out-of-memory',
  ],
  [
    'sqlalchemy.exc.TimeoutError: QueuePool limit of size 5 overflow 10 reached',
    'connection-pool-exhausted',
  ],
  ['ERROR 1205 (HY000): Lock wait timeout exceeded; try restarting transaction', 'lock'],
  ['Process 8120: OPTIMIZE TABLE carts; state: Waiting for table metadata lock', 'lock'],
  ['process 412 still waiting for ShareLock on transaction 9117 after 1000.2 ms', 'lock'],
  ['An error occurred (SignatureDoesNotMatch) when calling the GetObject operation', 'auth'],
  [
    'PKIX path validation failed: CertPathValidatorException: validity check failed',
    'certificate-expired',
  ],
  [
    'could not obtain a connection from the pool within 5.000 seconds (waited 5.003 seconds); all pooled connections were in use',
    'connection-pool-exhausted',
  ],
  ['IJ000453: Unable to get managed connection for java:/OrdersDS', 'connection-pool-exhausted'],
  ['remote error: tls: expired certificate', 'certificate-expired'],
  ['ACCESS_REFUSED - Login was refused using authentication mechanism PLAIN', 'auth'],
  ['cannot open database file: disk I/O error', 'infrastructure'],
  ['pread: Input/output error', 'infrastructure'],
  [
    'ResourceAccessException: I/O error on GET request for "http://seats/": Read timed out',
    'timeout',
  ],
  ['oauth2: "invalid_client" "Invalid client credentials"', 'auth'],
  ["Traceback (most recent call last): KeyError: 'price'", 'exception'],
  ['index [items] blocked by: [FORBIDDEN/12/index read-only / allow delete (api)]', 'disk-full'],
  ['ORA-01653: unable to extend table BANK.TRANSFERS by 8192 in tablespace DATA', 'disk-full'],
  ["ERROR 1114 (HY000): The table 'orders' is full", 'disk-full'],
  ['WRONGPASS invalid username-password pair or user is disabled.', 'auth'],
  ['java.lang.NullPointerException: Cannot invoke "Cart.lines()"', 'exception'],
  ['accept4: too many open files', 'capacity'],
  ['dial tcp 10.0.0.5:8081: connect: cannot assign requested address', 'capacity'],
  ['Error: connect EADDRNOTAVAIL 10.0.0.5:8081', 'capacity'],
  ['json: cannot unmarshal string into Go struct field Order.total of type int', 'schema-mismatch'],
  ["Could not resolve placeholder 'payment.url' in value", 'config'],
  ['panic: runtime error: index out of range [3] with length 3', 'crash'],
  ['http: panic serving 10.0.0.9:51234: runtime error: index out of range [3]', 'exception'],
  ['[Recovery] panic recovered: runtime error: nil pointer dereference', 'exception'],
  ["TypeError: Cannot read properties of undefined (reading 'address')", 'exception'],
  ['TypeError: cart.total is not a function', 'exception'],
  ['IndexError: list index out of range', 'exception'],
  ["NoMethodError: undefined method 'sku' for nil", 'exception'],
  ['PHP Fatal error:  Uncaught Error: Call to a member function total() on null', 'exception'],
  ['PHP Fatal error:  Allowed memory size of 134217728 bytes exhausted', 'out-of-memory'],
  ['An unhandled exception has occurred while executing the request.', 'exception'],
  ['Traceback (most recent call last):', 'exception'],
  ['Unhandled exception. System.InvalidOperationException: no lines', 'crash'],
  ['[UnhandledPromiseRejection: This error originated either by throwing', 'crash'],
  ["thread 'main' panicked at src/main.rs:4:5", 'crash'],
  ['nginx: worker process 31 exited on signal 11 (core dumped)', 'crash'],
  ['thread pool http-nio-8080 queue full (active=200, max=200, queued=100)', 'capacity'],
  ['java.util.concurrent.RejectedExecutionException: Task rejected from pool', 'capacity'],
  ['WARNING: [pool www] server reached pm.max_children setting (5)', 'capacity'],
  ['[alert] 29#29: 768 worker_connections are not enough', 'capacity'],
  ['APPLICATION FAILED TO START', 'crash-loop'],
  ['context deadline exceeded', 'timeout'],
  ['netty: ConnectTimeoutException: connection timed out: cass-3:7000', 'unreachable'],
  ['dial tcp 10.0.0.9:443: read: connection timed out', 'timeout'],
  ['circuit_breaking_exception: [parent] Data too large', 'memory'],
  ['order rejected: total -12.50 is below zero', 'wrong-result'],
  ['dial tcp 10.0.0.9:8080: connect: connection refused', 'unreachable'],
  ['java.net.UnknownHostException: payments', 'dns'],
  ['PANIC:  could not write to file "pg_wal/x": No space left on device', 'disk-full'],
])('takes %j for a sign of %s', (text, kind) => {
  expect(kindOfText(text)?.kind).toBe(kind);
});

test.each(['request served', 'user 17 logged in', ''])('finds nothing in %j', (text) => {
  expect(kindOfText(text)).toBeUndefined();
});
