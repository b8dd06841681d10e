import { join } from 'node:path';
import type { Series } from '../../src/domain/engine/records.js';
import { hasAlertmanager, startAlertmanager } from './alertmanager-program.js';
import { GitRepositoryFolder, hasGit } from './git-repository.js';
import { healthyKafka } from './healthy-kafka.js';
import { hasJournal, writeJournal } from './journal-program.js';
import { KAFKA_PASSWORD } from './look-at-kafka.js';
import { closedPort, Loopback } from './loopback.js';
import { startLokiReplay } from './loki-replay.js';
import { hasMariadb, startMariadb } from './mariadb-program.js';
import { hasNginx, startNginx } from './nginx-program.js';
import { hasPostgres, startPostgres } from './postgres-program.js';
import { hasPrometheus, startPrometheus } from './prometheus-program.js';
import { hasRabbitmq, startRabbitmq } from './rabbitmq-program.js';
import { scriptedKafka } from './scripted-kafka.js';
import { startTempoReplay } from './trace-replays.js';
import { until } from './until.js';

/** A node of a system with a fault in it, and the server of SOURCES_FILE with the same id that it selects from. */
export interface BrokenSystem {
  node: Record<string, unknown>;
  listed?: Record<string, unknown>;
  stop: () => unknown;
}

interface Broken {
  /** The kind of its source. */
  name: string;
  /** Whether its program is installed. */
  isThere: () => boolean;
  /** @param folder for files that nothing else writes */
  start: (folder: string) => Promise<BrokenSystem>;
  /** The title of what a diagnosis finds at its node. */
  finds: RegExp;
}

/** Credentials of the servers: references, and what they refer to. */
export const PASSWORDS = { DB_PASSWORD: 'hunter2-4711', KAFKA_PASSWORD };
const auth = { user: 'consilium', password: '${env:DB_PASSWORD}' };
const always = () => true;
const MINUTE = 60_000;
/** What a log says: the usual, and for some minutes that orders fail. */
const lines = (now: number) =>
  Array.from({ length: 50 }, (_, i) => ({
    at: now - (50 - i) * MINUTE,
    body: i < 40 ? `stored order ${i}` : `ERROR cannot store order ${i}: the disk is full`,
    severity: i < 40 ? 'info' : 'error',
  }));

async function brokenPostgres(): Promise<BrokenSystem> {
  const server = await startPostgres();
  const admin = await server.connect();
  await admin.query(
    `create role consilium login password '${PASSWORDS.DB_PASSWORD}' in role pg_monitor`,
  );
  await admin.query('create table stock (id int primary key, count int)');
  await admin.query('insert into stock values (1, 5)');
  const waiter = await server.connect();
  await admin.query('begin');
  await admin.query('update stock set count = 4 where id = 1');
  waiter.query('update stock set count = 3 where id = 1').catch(() => undefined);
  const asker = await server.connect();
  await until('the wait is long enough', async () => {
    const { rowCount } = await asker.query(
      `select 1 from pg_stat_activity where wait_event_type = 'Lock' and state_change < now() - interval '6 seconds'`,
    );
    return rowCount === 1;
  });
  const endpoint = `postgres://127.0.0.1:${server.port}/postgres`;
  return { node: { kind: 'postgres' }, listed: { endpoint, auth }, stop: () => server.stop() };
}

async function brokenMariadb(): Promise<BrokenSystem> {
  const server = await startMariadb();
  const admin = await server.connect({ database: 'shop' });
  await admin.query(`create user consilium identified by '${PASSWORDS.DB_PASSWORD}'`);
  await admin.query('grant process, replica monitor on *.* to consilium');
  await admin.query('create table stock (id int primary key, count int)');
  await admin.query('insert into stock values (1, 5)');
  const waiter = await server.connect({ database: 'shop' });
  await admin.query('begin');
  await admin.query('update stock set count = 4 where id = 1');
  await waiter.query('set innodb_lock_wait_timeout = 1000');
  waiter.query('update stock set count = 3 where id = 1').catch(() => undefined);
  const asker = await server.connect();
  await until('the wait is long enough', async () => {
    const [rows] = await asker.query(
      `select 1 from information_schema.innodb_trx where trx_wait_started < now() - interval 6 second`,
    );
    return (rows as unknown[]).length === 1;
  });
  const endpoint = `mysql://127.0.0.1:${server.port}`;
  return { node: { kind: 'mysql' }, listed: { endpoint, auth }, stop: () => server.stop() };
}

async function brokenRabbitmq(): Promise<BrokenSystem> {
  const server = await startRabbitmq();
  await server.ask('PUT', '/users/consilium', {
    ...{ password: PASSWORDS.DB_PASSWORD, tags: 'monitoring' },
  });
  const none = { configure: '^$', write: '^$', read: '^$' };
  await server.ask('PUT', '/permissions/%2f/consilium', none);
  await server.ask('PUT', '/queues/%2f/orders', { durable: false });
  await server.ask('POST', '/exchanges/%2f/amq.default/publish', {
    ...{ properties: {}, routing_key: 'orders', payload: 'x', payload_encoding: 'string' },
  });
  await until('the message is counted', async () => {
    const queue = (await server.ask('GET', '/queues/%2f/orders')) as { messages_ready?: number };
    return queue.messages_ready === 1;
  });
  return {
    ...{
      node: { kind: 'rabbitmq' },
      listed: { endpoint: server.url, auth },
      stop: () => server.stop(),
    },
  };
}

async function brokenPrometheus(): Promise<BrokenSystem> {
  const now = Date.now();
  const minutes = Array.from({ length: 120 }, (_, i) => 119 - i);
  const requests = (code: string, perMinute: (ago: number) => number): Series => {
    let sum = 0;
    return {
      ...{ node: '', name: 'http_requests_total', labels: { job: 'api', instance: 'a', code } },
      times: minutes.map((ago) => now - ago * MINUTE),
      values: minutes.map((ago) => (sum += perMinute(ago))),
    };
  };
  const server = await startPrometheus([
    requests('200', () => 600),
    requests('500', (ago) => (ago < 15 ? 300 : 0)),
  ]);
  const node = { kind: 'workload', selector: 'job="api"' };
  return { node, listed: { endpoint: server.url }, stop: () => server.stop() };
}

async function firingAlertmanager(): Promise<BrokenSystem> {
  const server = await startAlertmanager('http://127.0.0.1:1', 'none');
  const labels = { alertname: 'DiskFull', service: 'store', severity: 'critical' };
  await server.post([{ labels, startsAt: new Date().toISOString() }]);
  const node = { kind: 'workload', selector: 'service="store"' };
  return { node, listed: { endpoint: server.url }, stop: () => server.stop() };
}

async function brokenNginx(): Promise<BrokenSystem> {
  const back = `http://127.0.0.1:${await closedPort()}`;
  const server = await startNginx(
    `location / { return 200; } location /orders { proxy_pass ${back}; }`,
  );
  for (let i = 0; i < 3; i += 1) await fetch(`${server.url}/orders`);
  return {
    // The one connection that asks is all that this one may have.
    node: {
      ...{ kind: 'service', endpoint: server.url },
      attributes: { nginxStatusPath: '/status', nginxConnections: 1, slowMs: 30_000 },
    },
    ...{ listed: { path: server.errorLog }, stop: () => server.stop() },
  };
}

function brokenJournal(folder: string): Promise<BrokenSystem> {
  const entries = lines(Date.now()).map(({ at, body, severity }) => ({
    at,
    fields: {
      ...{ MESSAGE: body, PRIORITY: severity === 'error' ? '3' : '6' },
      _SYSTEMD_UNIT: 'store.service',
    },
  }));
  writeJournal(folder, entries);
  const node = { kind: 'workload', selector: 'store.service' };
  const listed = { directory: folder, units: ['store.service'] };
  return Promise.resolve({ node, listed, stop: () => undefined });
}

async function brokenLoki(): Promise<BrokenSystem> {
  const labels = { service: 'store' };
  const server = await startLokiReplay(
    lines(Date.now()).map((line) => ({ ...line, node: 'store', labels })),
  );
  const node = { kind: 'workload', selector: '{service="store"}' };
  return { node, listed: { endpoint: server.url }, stop: server.close };
}

async function brokenTempo(): Promise<BrokenSystem> {
  const now = Date.now();
  const server = await startTempoReplay(
    Array.from({ length: 9 }, (_, i) => ({
      ...{
        node: 'store',
        name: 'store order',
        traceId: String(i).repeat(32),
        spanId: `${i}`.repeat(16),
      },
      ...{ start: now - (i + 1) * MINUTE, durationMs: 20, attributes: {} },
      error: 'DiskFull: no space left',
    })),
  );
  const node = { kind: 'workload', selector: 'store' };
  return { node, listed: { endpoint: server.url }, stop: server.close };
}

async function brokenKafka(): Promise<BrokenSystem> {
  const loopback = new Loopback();
  const user = { name: 'consilium', password: KAFKA_PASSWORD, mechanism: 'SCRAM-SHA-512' };
  const script = { ...healthyKafka(), user };
  script.groups['mailer'] = { at: 2, state: 'Empty', offsets: { 'orders-0': 10 } };
  const { ports } = await scriptedKafka(loopback, script);
  const password = '${env:KAFKA_PASSWORD}';
  const listed = {
    endpoint: `kafka://127.0.0.1:${ports[0]}`,
    auth: { user: 'consilium', password, mechanism: 'SCRAM-SHA-512' },
  };
  return {
    ...{ node: { kind: 'kafka', selector: 'mailer' }, listed },
    stop: () => loopback.close(),
  };
}

/** A repository whose latest commit changed the address of a database, of a service that is not there. */
async function changedGit(): Promise<BrokenSystem> {
  const repository = new GitRepositoryFolder();
  const now = Date.now();
  repository.commit(now - 600 * MINUTE, 'Add the store', { 'store/config.yaml': 'db: old\n' });
  repository.commit(now - 20 * MINUTE, 'Move the database', { 'store/config.yaml': 'db: new\n' });
  const endpoint = `http://127.0.0.1:${await closedPort()}`;
  return {
    node: { kind: 'service', endpoint, selector: 'store' },
    listed: { path: repository.path },
    stop: () => repository.remove(),
  };
}

/** One of each kind of source, with what is found of it. Kubernetes has a test of its own. */
export const BROKEN: readonly Broken[] = [
  { name: 'postgres', isThere: hasPostgres, start: brokenPostgres, finds: /waits for locks/ },
  { name: 'mysql', isThere: hasMariadb, start: brokenMariadb, finds: /waits for locks/ },
  { name: 'rabbitmq', isThere: hasRabbitmq, start: brokenRabbitmq, finds: /has no consumer/ },
  { name: 'prometheus', isThere: hasPrometheus, start: brokenPrometheus, finds: /failed requests/ },
  { name: 'alertmanager', isThere: hasAlertmanager, start: firingAlertmanager, finds: /DiskFull/ },
  { name: 'logfile', isThere: hasNginx, start: brokenNginx, finds: /connections are in use/ },
  {
    ...{ name: 'journald', isThere: hasJournal, finds: /cannot store order/ },
    start: (folder) => brokenJournal(join(folder, 'journal')),
  },
  { name: 'loki', isThere: always, start: brokenLoki, finds: /cannot store order/ },
  { name: 'tempo', isThere: always, start: brokenTempo, finds: /DiskFull|fail/ },
  { name: 'kafka', isThere: always, start: brokenKafka, finds: /group mailer has no consumer/ },
  { name: 'git', isThere: hasGit, start: changedGit, finds: /connection refused/ },
];
