import { join } from 'node:path';
import type { Series } from '../../../src/domain/telemetry/records.js';
import { hasAlertmanager, startAlertmanager } from '../programs/alertmanager-program.js';
import { BROKEN_REPLAYS } from '../sources/broken-replays.js';
import {
  always,
  type Broken,
  type BrokenSystem,
  lines,
  MINUTE,
  PASSWORDS,
} from './broken-system.js';
import { startCountingProxy } from '../processes/counting-proxy.js';
import { GitRepositoryFolder, hasGit } from '../programs/git-repository.js';
import { healthyKafka } from '../programs/healthy-kafka.js';
import { hasJournal, writeJournal } from '../programs/journal-program.js';
import { closedPort, Loopback } from '../loopback.js';
import { hasMariadb, startMariadb } from '../programs/mariadb-program.js';
import { hasNginx, startNginx } from '../programs/nginx-program.js';
import { hasPostgres, startPostgres } from '../programs/postgres-program.js';
import { hasPrometheus, startPrometheus } from '../programs/prometheus-program.js';
import { hasRabbitmq, startRabbitmq } from '../programs/rabbitmq-program.js';
import { scriptedKafka } from '../sources/scripted-kafka.js';
import { until } from '../until.js';

const auth = { user: 'consilium', password: '${env:DB_PASSWORD}' };

/** A server over HTTP, behind a proxy that counts what it is asked. */
async function counted(
  server: { url: string; stop: () => Promise<void> },
  { node, listed }: Pick<BrokenSystem, 'node' | 'listed'>,
): Promise<BrokenSystem> {
  const { url, asked, close } = await startCountingProxy(server.url);
  const stop = () => Promise.all([server.stop(), close()]);
  return { node, listed: { endpoint: url, ...listed }, asked, stop };
}

async function brokenPostgres(): Promise<BrokenSystem> {
  const server = await startPostgres('shared_preload_libraries=pg_stat_statements');
  const admin = await server.connect();
  // Statements of all databases are counted; a diagnosis does not find the extension in its own.
  await admin.query('create database counted');
  const counter = await server.connect({ database: 'counted' });
  await counter.query('create extension pg_stat_statements');
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
  const asked = async () => {
    const { rows } = await counter.query<{ calls: string }>(
      `select coalesce(sum(calls), 0) as calls from pg_stat_statements where userid = 'consilium'::regrole`,
    );
    return Number(rows[0]?.calls);
  };
  return {
    node: { kind: 'postgres' },
    listed: { endpoint, auth },
    asked,
    stop: () => server.stop(),
  };
}

async function brokenMariadb(): Promise<BrokenSystem> {
  const server = await startMariadb('--log-output=TABLE', '--general-log=1');
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
  const asked = async () => {
    const [rows] = await asker.query(
      `select 1 from mysql.general_log where user_host like 'consilium%' and command_type = 'Query'`,
    );
    return (rows as unknown[]).length;
  };
  return { node: { kind: 'mysql' }, listed: { endpoint, auth }, asked, stop: () => server.stop() };
}

async function brokenRabbitmq(): Promise<BrokenSystem> {
  const server = await startRabbitmq();
  await server.ask('PUT', '/users/consilium', {
    password: PASSWORDS.DB_PASSWORD,
    tags: 'monitoring',
  });
  const none = { configure: '^$', write: '^$', read: '^$' };
  await server.ask('PUT', '/permissions/%2f/consilium', none);
  await server.ask('PUT', '/queues/%2f/orders', { durable: false });
  await server.ask('POST', '/exchanges/%2f/amq.default/publish', {
    properties: {},
    routing_key: 'orders',
    payload: 'x',
    payload_encoding: 'string',
  });
  await until('the message is counted', async () => {
    const queue = (await server.ask('GET', '/queues/%2f/orders')) as { messages_ready?: number };
    return queue.messages_ready === 1;
  });
  return counted(server, { node: { kind: 'rabbitmq' }, listed: { auth } });
}

async function brokenPrometheus(): Promise<BrokenSystem> {
  const now = Date.now();
  const minutes = Array.from({ length: 120 }, (_, i) => 119 - i);
  const requests = (code: string, perMinute: (ago: number) => number): Series => {
    let sum = 0;
    return {
      node: '',
      name: 'http_requests_total',
      labels: { job: 'api', instance: 'a', code },
      times: minutes.map((ago) => now - ago * MINUTE),
      values: minutes.map((ago) => (sum += perMinute(ago))),
    };
  };
  const server = await startPrometheus([
    requests('200', () => 600),
    requests('500', (ago) => (ago < 15 ? 300 : 0)),
  ]);
  const node = { kind: 'workload', selector: 'job="api"' };
  return counted(server, { node });
}

async function firingAlertmanager(): Promise<BrokenSystem> {
  const server = await startAlertmanager('http://127.0.0.1:1', 'none');
  const labels = { alertname: 'DiskFull', service: 'store', severity: 'critical' };
  await server.post([{ labels, startsAt: new Date().toISOString() }]);
  const node = { kind: 'workload', selector: 'service="store"' };
  return counted(server, { node });
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
      kind: 'service',
      endpoint: server.url,
      attributes: { nginxStatusPath: '/status', nginxConnections: 1, slowMs: 30_000 },
    },
    listed: { path: server.errorLog },
    stop: () => server.stop(),
  };
}

function brokenJournal(folder: string): Promise<BrokenSystem> {
  const entries = lines(Date.now()).map(({ at, body, severity }) => ({
    at,
    fields: {
      MESSAGE: body,
      PRIORITY: severity === 'error' ? '3' : '6',
      _SYSTEMD_UNIT: 'store.service',
    },
  }));
  writeJournal(folder, entries);
  const node = { kind: 'workload', selector: 'store.service' };
  const listed = { directory: folder, units: ['store.service'] };
  return Promise.resolve({ node, listed, stop: () => undefined });
}

async function brokenKafka(): Promise<BrokenSystem> {
  const loopback = new Loopback();
  const user = {
    name: 'consilium',
    password: PASSWORDS.KAFKA_PASSWORD,
    mechanism: 'SCRAM-SHA-512',
  };
  const script = { ...healthyKafka(), user };
  script.groups['mailer'] = { at: 2, state: 'Empty', offsets: { 'orders-0': 10 } };
  const kafka = await scriptedKafka(loopback, script);
  const password = '${env:KAFKA_PASSWORD}';
  const listed = {
    endpoint: `kafka://127.0.0.1:${kafka.ports[0]}`,
    auth: { user: 'consilium', password, mechanism: 'SCRAM-SHA-512' },
  };
  return {
    node: { kind: 'kafka', selector: 'mailer' },
    listed,
    asked: () => kafka.connections,
    stop: () => loopback.close(),
  };
}

/**
 * A repository whose latest commit changed the address of a database, of a service that is not
 * there.
 */
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

/**
 * One of each kind of source, with what is found of it, as two systems: a ranking of much telemetry
 * sends agents to the nodes that it suspects, and not to all.
 */
export const BROKEN: readonly (readonly Broken[])[] = [
  [
    {
      name: 'postgres',
      isThere: hasPostgres,
      start: brokenPostgres,
      finds: /waits for locks/,
      most: 15,
    },
    {
      name: 'mysql',
      isThere: hasMariadb,
      start: brokenMariadb,
      finds: /waits for locks/,
      most: 16,
    },
    {
      name: 'rabbitmq',
      isThere: hasRabbitmq,
      start: brokenRabbitmq,
      finds: /has no consumer/,
      most: 8,
    },
    {
      name: 'prometheus',
      isThere: hasPrometheus,
      start: brokenPrometheus,
      finds: /failed requests/,
      most: 20,
    },
    {
      name: 'alertmanager',
      isThere: hasAlertmanager,
      start: firingAlertmanager,
      finds: /DiskFull/,
      most: 1,
    },
    { name: 'logfile', isThere: hasNginx, start: brokenNginx, finds: /connections are in use/ },
    {
      name: 'journald',
      isThere: hasJournal,
      finds: /cannot store order/,
      start: (folder) => brokenJournal(join(folder, 'journal')),
    },
    BROKEN_REPLAYS.loki,
    BROKEN_REPLAYS.tempo,
    {
      name: 'kafka',
      isThere: always,
      start: brokenKafka,
      finds: /group mailer has no consumer/,
      most: 4,
    },
    { name: 'git', isThere: hasGit, start: changedGit, finds: /connection refused/ },
  ],
  BROKEN_REPLAYS.others,
];
