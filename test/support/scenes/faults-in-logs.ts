import {
  failingCallers,
  fault,
  page,
  slowCallers,
  slowPage,
  type KnownFault,
} from './known-fault.js';
import { alert, change, counter, line, ONSET, ramp, step } from './scene.js';

/** Faults that show in log lines, as runtimes, databases and proxies write them. */
export const FAULTS_IN_LOGS: readonly KnownFault[] = [
  fault('a Go panic', 'crash', 'orders', page, failingCallers, [
    line('orders', 'panic: runtime error: invalid memory address or nil pointer dereference'),
    line('orders', 'goroutine 71 [running]: main.(*Cart).Total(0x0) /src/cart.go:88 +0x1d'),
    line('web', 'level=error msg="upstream orders answered 502"', ONSET + 2),
  ]),
  fault('an exception that is caught, in Java', 'exception', 'orders', page, failingCallers, [
    line(
      'orders',
      '2026-03-02 10:41:07.123 ERROR [orders,3f2a,91] 1 --- [nio-8080-exec-4] o.a.c.c.C.[dispatcherServlet] : Servlet.service() threw exception [Request processing failed: java.lang.IllegalStateException: order has no lines]',
    ),
    line('web', 'level=error msg="POST /checkout: orders answered 500"', ONSET + 2),
  ]),
  fault('a start without a variable', 'config', 'orders', page, [
    step('orders', 'kube_deployment_status_replicas_ready', [3, 0]),
    step('web', 'http_server_errors_ratio', [0.001, 0.2]),
    line('orders', 'Error: required environment variable PAYMENT_URL is not set'),
    line(
      'web',
      'level=error msg="dial tcp 10.0.0.7:80: connect: connection refused" host=orders',
      ONSET + 2,
    ),
  ]),
  fault('a pod that is restarted repeatedly', 'crash-loop', 'orders', page, [
    counter('orders', 'kube_pod_container_status_restarts_total', [0, 0.02]),
    step('orders', 'kube_deployment_status_replicas_ready', [3, 0]),
    line('orders', 'Back-off restarting failed container orders in pod orders-6b8f9c5d7-x2x4z'),
    line(
      'web',
      'level=error msg="dial tcp 10.0.0.7:80: connect: connection refused" host=orders',
      ONSET + 2,
    ),
  ]),
  fault(
    'a database that refuses more clients',
    'connection-pool-exhausted',
    'orders-db',
    page,
    failingCallers,
    [
      step('orders-db', 'pg_stat_activity_count', [40, 100]),
      line(
        'orders-db',
        'FATAL:  remaining connection slots are reserved for non-replication superuser connections',
      ),
      line(
        'orders',
        'ERROR: org.postgresql.util.PSQLException: FATAL: remaining connection slots are reserved (orders-db:5432)',
        ONSET + 2,
      ),
    ],
  ),
  fault(
    'a pool of connections, in Java',
    'connection-pool-exhausted',
    'orders',
    slowPage,
    slowCallers,
    [
      step('orders', 'hikaricp_connections_pending', [0, 38]),
      step('orders', 'hikaricp_connections_active', [4, 10]),
      line(
        'orders',
        'java.sql.SQLTransientConnectionException: HikariPool-1 - Connection is not available, request timed out after 30000ms.',
      ),
    ],
  ),
  fault('queries that read whole tables', 'slow-query', 'orders-db', slowPage, slowCallers, [
    step('orders-db', 'pg_stat_statements_mean_exec_time_ms', [4, 1_900]),
    line(
      'orders-db',
      'LOG:  duration: 4210.113 ms  statement: SELECT * FROM orders WHERE customer_ref = $1',
    ),
    line('orders', 'level=warn msg="slow query" db=orders-db took=4.2s', ONSET + 2),
  ]),
  fault('a deadlock', 'lock', 'orders-db', page, failingCallers, [
    counter('orders-db', 'pg_stat_database_deadlocks', [0, 0.4]),
    line('orders-db', 'ERROR:  deadlock detected'),
    line(
      'orders',
      'level=error msg="could not save the order" err="ERROR: deadlock detected (SQLSTATE 40P01)" db=orders-db',
      ONSET + 2,
    ),
  ]),
  fault(
    'waits for a row that another transaction holds',
    'lock',
    'orders-db',
    slowPage,
    slowCallers,
    [
      step('orders-db', 'mysql_global_status_innodb_row_lock_current_waits', [0, 25]),
      line(
        'orders',
        'ERROR 1205 (HY000): Lock wait timeout exceeded; try restarting transaction (orders-db)',
        ONSET + 2,
      ),
    ],
  ),
  fault(
    'a consumer that falls behind',
    'queue-lag',
    'orders',
    alert('orders', 'ConsumerLag', 'orders: the consumer group lags'),
    [
      ramp('orders', 'kafka_consumergroup_lag', [100, 90_000], ONSET),
      line(
        'orders',
        'level=warn msg="poll took longer than max.poll.interval; consumer left the group"',
      ),
    ],
  ),
  fault('a broker that lost its peers', 'queue-partition', 'orders-db', page, failingCallers, [
    line(
      'orders-db',
      '2026-03-02 10:41:00.100 [error] <0.421.0> Mnesia(rabbit@q-1): ** ERROR ** mnesia_event got {inconsistent_database, running_partitioned_network, rabbit@q-2}',
    ),
    line('orders', 'level=error msg="channel closed by orders-db"', ONSET + 2),
  ]),
  fault(
    'a service that refuses requests for their number',
    'rate-limited',
    'payments',
    page,
    failingCallers,
    [
      step('payments', 'http_responses_429_per_sec', [0, 40]),
      line('payments', 'level=warn msg="rate limit exceeded" client=orders limit=100/s'),
      line('orders', 'level=error msg="payments answered 429 Too Many Requests"', ONSET + 2),
    ],
  ),
  fault('clients that try again and again', 'retry-storm', 'orders', page, failingCallers, [
    counter('payments', 'http_server_requests_total', [20, 190]),
    counter('orders', 'http_client_retries_total', [0.1, 160]),
    line('orders', 'level=warn msg="retrying call" attempt=9 of=10 to=payments'),
    line('payments', 'level=error msg="overloaded, shedding load"', ONSET + 3),
  ]),
  fault('a cache that is not hit any more', 'cache', 'cart-cache', slowPage, [
    step('web', 'http_server_request_duration_seconds_p99', [0.2, 2.5]),
    step('cart', 'cache_gets_miss_ratio', [0.03, 0.97]),
    step('cart-cache', 'redis_keyspace_hit_ratio', [0.97, 0.02]),
    counter('cart-cache', 'redis_evicted_keys_total', [0, 900]),
    line('cart', 'level=warn msg="cache miss storm" cache=cart-cache'),
  ]),
  fault('a call that takes longer than its limit', 'timeout', 'payments', page, failingCallers, [
    line(
      'orders',
      'level=error msg="call payments: context deadline exceeded (Client.Timeout exceeded while awaiting headers)"',
      ONSET + 1,
    ),
  ]),
  fault('a service that no one listens for', 'unreachable', 'payments', page, failingCallers, [
    line(
      'orders',
      'level=error msg="dial tcp 10.0.0.9:8080: connect: connection refused" peer=payments',
    ),
  ]),
  fault('a wrong address', 'wrong-address', 'orders', page, failingCallers, [
    line(
      'orders',
      'level=error msg="dial tcp 10.0.0.9:8081: connect: connection refused" peer=payments',
    ),
    ...change(
      'orders',
      'orders/config.yaml',
      '-payments_url: http://payments:8080\n+payments_url: http://payments:8081',
    ),
  ]),
  fault('a name that does not resolve', 'dns', 'payments', page, failingCallers, [
    line(
      'orders',
      'level=error msg="dial tcp: lookup payments.shop.svc.cluster.local on 10.96.0.10:53: no such host"',
    ),
  ]),
  fault('a certificate that has expired', 'certificate-expired', 'payments', page, failingCallers, [
    line(
      'orders',
      'javax.net.ssl.SSLHandshakeException: PKIX path validation failed: java.security.cert.CertPathValidatorException: validity check failed: certificate of payments expired on Mon Mar 02 10:40:00 UTC 2026',
    ),
  ]),
  fault('a password that was changed', 'auth', 'orders', page, failingCallers, [
    line(
      'orders',
      'level=error msg="connect orders-db: pq: password authentication failed for user \\"orders\\""',
    ),
  ]),
  fault('a message with a field less', 'schema-mismatch', 'orders', page, failingCallers, [
    line(
      'orders',
      "com.fasterxml.jackson.databind.exc.MismatchedInputException: Missing required creator property 'currency' (index 2)",
    ),
  ]),
  fault('a column that does not exist', 'schema-mismatch', 'orders', page, failingCallers, [
    line(
      'orders',
      'sqlalchemy.exc.ProgrammingError: (psycopg2.errors.UndefinedColumn) column "coupon_id" of relation "orders" does not exist',
    ),
  ]),
  fault(
    'one record that can not be read',
    'bad-data',
    'orders',
    alert('orders', 'ConsumerLag', 'orders: the consumer group lags'),
    [
      ramp('orders', 'kafka_consumergroup_lag', [100, 90_000], ONSET),
      line(
        'orders',
        'level=error msg="poison message: cannot decode record, will retry the same offset 48213 of partition 3"',
      ),
    ],
  ),
  fault('a provider that is down', 'provider-outage', 'payments', page, failingCallers, [
    line(
      'payments',
      'level=error msg="POST https://api.stripe.com/v1/charges: 503 Service Unavailable"',
    ),
    line('orders', 'level=error msg="payments answered 502"', ONSET + 2),
  ]),
  fault('a region that is impaired', 'region', 'orders-db', page, failingCallers, [
    line(
      'orders-db',
      'level=error msg="replica in eu-west-1b unreachable: availability zone impaired"',
    ),
    line('orders', 'level=error msg="orders-db: no primary"', ONSET + 2),
  ]),
  fault('a full disk', 'disk-full', 'orders-db', page, failingCallers, [
    line(
      'orders-db',
      'PANIC:  could not write to file "pg_wal/xlogtemp.29": No space left on device',
    ),
    line(
      'orders',
      'level=error msg="orders-db: the database system is in recovery mode"',
      ONSET + 2,
    ),
  ]),
  fault('too little memory', 'out-of-memory', 'orders', page, failingCallers, [
    ramp('orders', 'container_memory_working_set_bytes', [3e8, 1e9]),
    line('orders', 'java.lang.OutOfMemoryError: Java heap space'),
    line('web', 'level=error msg="orders answered 503"', ONSET + 2),
  ]),
  fault(
    'totals that are wrong',
    'wrong-result',
    'orders',
    alert('orders', 'OrderTotals', 'orders: totals do not match the lines'),
    [
      counter('orders', 'order_total_mismatch_total', [0, 0.5]),
      line(
        'orders',
        'level=error msg="checksum mismatch: the total of order 881 is wrong, expected 12.50, got -12.50"',
      ),
    ],
  ),
  fault('a route that is not registered any more', 'regression', 'orders', page, failingCallers, [
    line('orders', 'level=error msg="no such route: POST /v2/orders"'),
    ...change(
      'orders',
      'orders/routes.go',
      '-\tr.HandleFunc("/v2/orders", h.Create).Methods("POST")\n+\t// see v3',
      'Clean up the routes',
    ),
  ]),
  fault('a job that asks for more than before', 'load', 'orders-db', slowPage, slowCallers, [
    step('orders-db', 'mysql_global_status_queries_per_sec', [200, 1_900]),
    line('orders-db', 'level=warn msg="overloaded: too busy to accept more work"'),
  ]),
  fault('packets that a policy drops', 'network-policy', 'payments', page, failingCallers, [
    line(
      'orders',
      'level=warn msg="xx drop (Policy denied) flow 0x0 to endpoint payments tcp SYN"',
    ),
    line('orders', 'level=error msg="dial tcp 10.0.0.9:8080: i/o timeout" peer=payments'),
  ]),
];
