import { expect, test } from '@jest/globals';
import { readChange } from '../read-change.js';

const kindsOf = (file: string, removed: string[], added: string[]) =>
  readChange({
    kind: 'commit',
    at: 0,
    id: 'c',
    files: [file],
    diff: [...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)].join('\n'),
  }).mechanisms.map(({ kind }) => kind);

test.each([
  ['maxReplicas', 'values.yaml', 'maxReplicas: 4', 'maxReplicas: 30', 'instances-raised'],
  ['replicas', 'values.yaml', 'replicas: 9', 'replicas: 3', 'instances-lowered'],
  ['concurrency', 'worker.yaml', 'concurrency: 4', 'concurrency: 64', 'concurrency-raised'],
  [
    'idle time',
    'nginx.conf',
    'keepalive_timeout 75s;',
    'keepalive_timeout 5s;',
    'idle-time-lowered',
  ],
  [
    'kept connections',
    'http.go',
    'MaxIdleConns: 100,',
    'MaxIdleConns: 2,',
    'connection-reuse-removed',
  ],
  ['open files', 'svc.conf', 'LimitNOFILE=65536', 'LimitNOFILE=1024', 'descriptors-lowered'],
  ['hash cost', 'hash.ts', 'const bcryptCost = 10', 'const bcryptCost = 14', 'cpu-heavier'],
  [
    'machine',
    'db.tf',
    'instance_class = "db.r6g.4xlarge"',
    'instance_class = "db.r6g.large"',
    'machine-smaller',
  ],
  [
    'machine of Google',
    'vm.tf',
    'machine_type = "n2-standard-16"',
    'machine_type = "n2-standard-4"',
    'machine-smaller',
  ],
  [
    'log level',
    'app.properties',
    'logging.level.root=INFO',
    'logging.level.root=DEBUG',
    'verbosity-raised',
  ],
  [
    'logged statements',
    'postgresql.conf',
    "log_statement = 'none'",
    "log_statement = 'all'",
    'verbosity-raised',
  ],
  ['cache off', 'app.yaml', 'cacheEnabled: true', 'cacheEnabled: false', 'cache-removed'],
  ['proxy cache off', 'nginx.conf', 'proxy_cache on;', 'proxy_cache off;', 'cache-removed'],
  ['strict on', 'app.yaml', 'strictParsing: false', 'strictParsing: true', 'validation-tightened'],
  [
    'Jackson',
    'Json.java',
    'mapper.disable(FAIL_ON_UNKNOWN_PROPERTIES);',
    'mapper.findAndRegisterModules();',
    'leniency-removed',
  ],
  [
    'pydantic',
    'models.py',
    'model_config = ConfigDict(extra="ignore")',
    'model_config = ConfigDict()',
    'leniency-removed',
  ],
  [
    'bean validation',
    'Order.java',
    'private String note;',
    '@NotNull private String note;',
    'validation-tightened',
  ],
  [
    'a regular expression',
    'names.ts',
    'const NAME = /^[a-z ]{1,40}$/;',
    'const NAME = /^([a-z]+ ?)+$/;',
    'cpu-heavier',
  ],
  [
    'jitter',
    'store.py',
    'r.setex(key, ttl + random.randint(0, 60), v)',
    'r.setex(key, ttl, v)',
    'jitter-removed',
  ],
  [
    'a client in Go',
    'call.go',
    'resp, err := s.client.Do(req)',
    'resp, err := (&http.Client{Timeout: t}).Do(req)',
    'connection-reuse-removed',
  ],
  [
    'a client in Python',
    'call.py',
    'resp = self.session.get(url)',
    'resp = requests.Session().get(url)',
    'connection-reuse-removed',
  ],
  [
    'a pool in JavaScript',
    'db.js',
    'const rows = await pool.query(q)',
    'const rows = await createPool(config).query(q)',
    'connection-reuse-removed',
  ],
  [
    'a limiter',
    'fetch.ts',
    'await pLimit(8)(() => load(id))',
    'await load(id)',
    'concurrency-raised',
  ],
  [
    'a variable of the environment',
    'deploy.yaml',
    'API_TOKEN_URL: x',
    'TOKEN_URL: x',
    'env-changed',
  ],
  [
    'a variable without a default',
    'main.py',
    'region = "eu"',
    'region = os.environ["AWS_HOME_REGION"]',
    'env-changed',
  ],
  [
    'a type of a field',
    'order.proto',
    'int32 amount = 3;',
    'string amount = 3;',
    'contract-renamed',
  ],
  [
    'a number of a field',
    'order.proto',
    'string note = 4;',
    'string note = 5;',
    'contract-renamed',
  ],
  [
    'a rewritten column',
    'V2.sql',
    'SELECT 1;',
    'ALTER COLUMN code TYPE varchar(32);',
    'lock-added',
  ],
  [
    'a page',
    'Orders.java',
    'repo.findAll(PageRequest.of(0, 50))',
    'repo.findAll()',
    'unbounded-read',
  ],
  [
    'an index of Django',
    'models.py',
    'sku = CharField(db_index=True)',
    'sku = CharField()',
    'index-removed',
  ],
  [
    'a fetch of a join',
    'Repo.java',
    '@Query("from Order o JOIN FETCH o.lines")',
    '@Query("from Order o")',
    'batching-removed',
  ],
  [
    'a key of a cache by instance',
    'cache.py',
    'PREFIX = "v3"',
    'PREFIX = f"v3:{socket.gethostname()}"',
    'key-changed',
  ],
  [
    'the key of a message',
    'Publisher.java',
    'new ProducerRecord<>("orders", order.customerId(), body)',
    'new ProducerRecord<>("orders", order.country(), body)',
    'key-changed',
  ],
  [
    'the type that a field is written as',
    'Encoder.java',
    'gen.writeNumberField("price", p.price());',
    'gen.writeStringField("price", p.price().toString());',
    'contract-renamed',
  ],
  [
    'a conversion that one branch leaves out',
    'convert.go',
    'metres := feet * 0.3048',
    'metres := feet; if feet > 1 { metres = feet * 0.3048 }',
    'arithmetic',
  ],
  [
    'the size of packets',
    'netplan/eth0.yaml',
    'vxlan: { id: 7, mtu: 1450 }',
    'vxlan: { id: 7 }',
    'packet-size-changed',
  ],
  [
    'a buffer on disk',
    'fluent-bit.conf',
    'storage.type memory',
    'storage.type filesystem',
    'disk-use-raised',
  ],
  [
    'the statistics of a table',
    'stats.sql',
    'SELECT 1;',
    "EXEC DBMS_STATS.GATHER_TABLE_STATS('APP', 'STOCK');",
    'plan-changed',
  ],
])('reads a change of %s', (_, file, removed, added, kind) => {
  expect(kindsOf(file, [removed], [added])).toContain(kind);
});

test.each([
  ['a dependency', 'package.json', '"eslint": "8.1.0",', '"eslint": "8.1.1",'],
  [
    'a dependency of a service that checks access',
    'auth/package.json',
    '"pg": "8.1.0",',
    '"pg": "8.1.1",',
  ],
  [
    'the content of a message',
    'a.kt',
    'producer.send("orders", order.id, order.text)',
    'producer.send("orders", order.id, order.body)',
  ],
  ['a statement that logs', 'a.go', 'log.Info("a")', 'log.Debug("a")'],
  [
    'a client that is made once',
    'a.ts',
    'export const db = pool',
    'export const pool = createPool(c)',
  ],
])('reads no mechanism in a change of %s', (_, file, removed, added) => {
  expect(kindsOf(file, [removed], [added])).toEqual([]);
});

test('a text in a block that was moved is no renamed contract', () => {
  const before = ['resource "lb" "front" {', '  name = "front"', '  idle_timeout = 300', '}'];
  const after = ['module "front_lb" {', '  source = "../lb"', '  name   = "front"', '}'];
  expect(kindsOf('lb.tf', before, after)).toEqual(['timeout-removed']);
});

test('work that is moved into a transaction holds its locks longer, and not what is moved out of one', () => {
  const inside = ['save(tx, order)', 'mail.send(order)', 'tx.commit()'];
  const outside = ['save(tx, order)', 'tx.commit()', 'mail.send(order)'];
  expect(kindsOf('orders.py', outside, inside)).toEqual(['lock-added']);
  expect(kindsOf('orders.py', inside, outside)).toEqual([]);
});

test('a query that is explained changes no plan', () => {
  expect(kindsOf('a.sql', ['SELECT 1;'], ['EXPLAIN ANALYZE SELECT 1;'])).not.toContain(
    'plan-changed',
  );
});
