import { describe, expect, test } from '@jest/globals';
import { readChange } from './read-change.js';
import { readDiff } from './read-diff.js';
import { wordsOf } from './words.js';

const diff = (removed: string[], added: string[]) =>
  [
    '--- a/x',
    '+++ b/x',
    '@@ -1 +1 @@',
    ...removed.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
  ].join('\n');
const kindsOf = (removed: string[], added: string[], file = 'internal/orders/store.go') =>
  readChange({
    kind: 'commit',
    at: 0,
    id: 'c',
    files: [file],
    diff: diff(removed, added),
  }).mechanisms.map(({ kind }) => kind);

describe('wordsOf', () => {
  test('splits identifiers, cuts endings, and drops words that say nothing', () => {
    expect(wordsOf('updatePoolSizes for the HTTPServer: retries')).toEqual([
      'pool',
      'size',
      'retry',
    ]);
  });
});

test('a word that people read is no name that two sides agree on', () => {
  expect(kindsOf(['subject := "Hello"'], ['subject := "Welcome"'])).toEqual([]);
  expect(kindsOf(['subject := "order_id"'], ['subject := "orderId"'])).toEqual([
    'contract-renamed',
  ]);
});

describe('addresses without quotes', () => {
  test.each([
    ['payments_url: http://payments:8080', 'payments_url: http://payments:8081'],
    ['BROKER=kafka-a:9092', 'BROKER=kafka-b:9092'],
    ['db.host=orders-db', 'db.host=orders-db-old'],
  ])('%s became %s', (before, after) => {
    expect(kindsOf([before], [after], 'config/app.yaml')).toContain('address-changed');
  });

  test('no address changed where it stays', () => {
    expect(kindsOf(['a: b:80'], ['a: b:80 '], 'config/app.yaml')).not.toContain('address-changed');
  });
});

describe('readDiff', () => {
  test('leaves out comments, telemetry and moved lines', () => {
    const view = readDiff({
      files: ['a.go'],
      diff: diff(['x := 1', 'log.Info("old")'], ['// why', 'x := 1', 'y := 2']),
    });
    expect(view).toMatchObject({ removed: [], added: ['y := 2'], cosmetic: false });
  });

  test('calls a change of tests and documents cosmetic', () => {
    const view = readDiff({ files: ['docs/a.md', 'src/a_test.go'], diff: diff([], ['x']) });
    expect(view.cosmetic).toBe(true);
  });

  test('knows which added lines lie in a loop', () => {
    const view = readDiff({
      files: ['a.go'],
      diff: ' for _, id := range ids {\n+\titem := db.QueryRow(id)\n }\n+after()',
    });
    expect(view.inLoop).toEqual(['item := db.QueryRow(id)']);
  });
});

describe('readChange', () => {
  test.each([
    ['nil-guard-removed', ['if user != nil {'], ['name := user.Name']],
    ['limit-lowered', ['db.SetMaxOpenConns(50)'], ['db.SetMaxOpenConns(5)']],
    ['cpu-limit-lowered', ['cpu: "2"'], ['cpu: 500m']],
    ['memory-limit-lowered', ['maxmemory 4gb'], ['maxmemory 512mb']],
    ['memory-limit-lowered', ['JVM: "-Xms1g -Xmx2g"'], ['JVM: "-Xms1g -Xmx768m"']],
    ['limit-raised', ['maxmemory 512mb'], ['maxmemory 4gb']],
    ['cpu-heavier', ['const LINK = /https?:/'], ['const LINK = /^(([a-z0-9]+)+[.])+$/']],
    ['timeout-lowered', ['timeout: 30s'], ['timeout: 3s']],
    ['retries-raised', ['maxRetries = 3'], ['maxRetries = 12']],
    ['ttl-lowered', ['cacheTTL = 3600'], ['cacheTTL = 36']],
    ['batching-removed', ['store.BatchWrite(items)'], ['store.Write(item)']],
    ['index-removed', ['CREATE INDEX by_user ON orders (user_id);'], []],
    ['unbounded-read', ['rows := q.Limit(100) // LIMIT'], ['rows := q.All()']],
    ['release-removed', ['defer conn.Close()'], ['use(conn)']],
    ['lock-added', [], ['mu.Lock()']],
    ['registration-removed', ['router.RegisterOrders(handler)'], []],
    ['backoff-removed', ['time.Sleep(backoff) // between retry attempts'], []],
    ['timeout-removed', ['ctx, cancel := context.WithTimeout(ctx, limit)'], ['ctx := parent']],
    ['address-changed', ['host := "db-old.internal"'], ['host := "db-new.internal"']],
    ['env-changed', ['os.Getenv("RELAY_URL")'], ['os.Getenv("RELAY_ADDR")']],
    ['contract-renamed', ['ID string `json:"order_id"`'], ['ID string `json:"orderId"`']],
    ['auth-changed', ['DB_PASSWORD: vault:db/v1'], ['DB_PASSWORD: vault:db/v2']],
    ['connection-reuse-removed', ['MaxIdleConnsPerHost: 256,'], ['DisableKeepAlives: true,']],
    ['connection-reuse-removed', ['keepAlive: true'], ['keepAlive: false']],
    ['loop-unbounded', ['for i := 0; i < maxAttempts; i++ {'], ['for {']],
  ] as const)('finds %s', (kind, removed, added) => {
    expect(kindsOf([...removed], [...added])).toContain(kind);
  });

  test('finds a collection of the whole process that grows, declared as in Java', () => {
    const added = [
      'private static final Map<String, Price> SEEN = new HashMap<>();',
      'SEEN.put(request.id(), price);',
    ];
    expect(kindsOf([], added)).toContain('unbounded-growth');
    expect(kindsOf([], [added[0] ?? '', 'other.put(request.id(), price);'])).not.toContain(
      'unbounded-growth',
    );
  });

  test('finds a network policy by the lines around the change', () => {
    const { mechanisms } = readChange({
      kind: 'config',
      at: 0,
      id: 'c',
      diff: ' kind: NetworkPolicy\n spec:\n-  egress: [{}]\n+  egress: []',
    });
    expect(mechanisms.map(({ kind }) => kind)).toContain('network-policy-changed');
  });

  test.each([
    ['readiness', 'readiness-changed'],
    ['liveness', 'probe-changed'],
  ])('finds that a %s probe asks for something else, by the lines around', (probe, kind) => {
    const { mechanisms } = readChange({
      kind: 'config',
      at: 0,
      id: 'c',
      diff: ` ${probe}Probe:\n   httpGet:\n-    path: /health\n+    path: /healthz/ready\n     port: 8080`,
    });
    expect(mechanisms.map((each) => each.kind)).toContain(kind);
  });

  test('takes the timeout of a probe for no timeout of requests', () => {
    const { mechanisms } = readChange({
      kind: 'config',
      at: 0,
      id: 'c',
      diff: ' readinessProbe:\n-  timeoutSeconds: 5\n+  timeoutSeconds: 1',
    });
    expect(mechanisms.map(({ kind }) => kind)).toEqual(['probe-changed']);
  });

  test('reads settings of a configuration that was recorded without its file', () => {
    const { mechanisms } = readChange({
      kind: 'config',
      at: 0,
      id: 'c',
      diff: ' limits:\n-  cpu: "2"\n+  cpu: 500m',
    });
    expect(mechanisms).toMatchObject([
      { kind: 'cpu-limit-lowered', numbers: { from: 2, to: 0.5 } },
    ]);
  });

  test('pairs settings of one name by their order: requests and limits', () => {
    const { mechanisms } = readChange({
      kind: 'config',
      at: 0,
      id: 'c',
      diff: ' requests:\n-  memory: 2Gi\n+  memory: 512Mi\n limits:\n-  memory: 4Gi\n+  memory: 1Gi',
    });
    const GI = 1_073_741_824;
    expect(mechanisms.map(({ numbers }) => numbers)).toMatchObject([
      { from: 2 * GI, to: GI / 2 },
      { from: 4 * GI, to: GI },
    ]);
  });

  test('a list of YAML and the words of a protocol compute and rename nothing', () => {
    expect(kindsOf(['- key: "DB-PASS"'], ['- key: "DB_PASS"'], 'charts/values.yaml')).not.toContain(
      'arithmetic',
    );
    expect(kindsOf(['rule { protocol = "udp" }'], [], 'main.tf')).not.toContain('contract-renamed');
  });

  test('that some setting changed explains nothing by itself', () => {
    expect(kindsOf(['mode: fast'], ['mode: safe'], 'config/app.yaml')).toEqual([]);
  });

  test('knows what is kept for longer', () => {
    expect(kindsOf(['retention.ms=3600000'], ['retention.ms=86400000'])).toEqual([
      'retention-raised',
    ]);
  });

  test('a text with brackets calls nothing', () => {
    expect(kindsOf(['"subnet-3 (zone-c)",'], [], 'main.tf')).not.toContain('call-removed');
  });

  test('reads the file from the header of a diff', () => {
    const view = readDiff({ diff: '--- values/prod.yaml\n+++ b/values/prod.yaml\n-a: 1\n+a: 2' });
    expect(view).toMatchObject({ files: ['values/prod.yaml'], kinds: ['config'] });
  });

  test('an expression whose repetitions lie beside each other does not backtrack', () => {
    expect(kindsOf(['const LINK = /a/'], ['const LINK = /^(a)+(b)+$/'])).not.toContain(
      'cpu-heavier',
    );
  });

  test('reads versions of dependencies by their parts', () => {
    const bump = (from: string, to: string) =>
      kindsOf([`github.com/x/redis v${from}`], [`github.com/x/redis v${to}`], 'go.mod');
    expect(bump('1.2.3', '1.2.4')).toEqual([]);
    expect(bump('1.2.3', '1.3.0')).toContain('version-minor');
    expect(bump('1.2.3', '2.0.0')).toContain('version-major');
  });

  test('says nothing of a change that no running system loads', () => {
    expect(kindsOf(['timeout: 30s'], ['timeout: 3s'], 'docs/limits.md')).toEqual([]);
  });

  test('is done with a hostile diff in time', () => {
    const lines = Array.from(
      { length: 4_000 },
      (_, i) => `"${'a'.repeat(400)}${i}" = ${'('.repeat(100)}`,
    );
    expect(() =>
      kindsOf(
        lines,
        lines.map((line) => `${line}b`),
      ),
    ).not.toThrow();
  }, 20_000);
});

test.each([
  ['CREATE INDEX ix_book ON positions (book_id);', true],
  ['CREATE INDEX CONCURRENTLY ix_book ON positions (book_id);', false],
  ['LOCK TABLE positions IN EXCLUSIVE MODE;', true],
  ['VACUUM FULL positions;', true],
  ['VACUUM positions;', false],
  ['REINDEX TABLE positions;', true],
  ['REINDEX TABLE CONCURRENTLY positions;', false],
])('whether "%s" locks a table: %s', (statement, locks) => {
  const change = { kind: 'manual' as const, at: 0, diff: `+${statement}` };
  const found = readChange(change).mechanisms.filter(({ kind }) => kind === 'lock-added');
  expect(found.map(({ literals }) => literals?.includes('positions'))).toEqual(locks ? [true] : []);
});

test('names the error of a fixed position that its diff begins to read', () => {
  const positions = (removed: string, added: string) =>
    readChange({
      kind: 'commit',
      at: 0,
      files: ['family.go'],
      diff: diff([removed], [added]),
    }).mechanisms.filter(({ kind }) => kind === 'fixed-position-read');
  const [read] = positions('flex := byName(f)', 'flex := f.Families[3]');
  expect(read?.literals).toContain('index out of range [3]');
  expect(positions('flex := f.Families[3]', 'flex := g.Families[3]')).toEqual([]);
});

test('a bounded cache that became a map grows without a bound, and still is a cache', () => {
  const removed = ['sessions = Caffeine.newBuilder().maximumSize(25_000).build();'];
  const kinds = kindsOf(removed, ['sessions = new ConcurrentHashMap<>();'], 'Sessions.java');
  expect(kinds).toContain('unbounded-growth');
  const cache = ['c := lru.NewCache(512)'];
  expect(kindsOf(cache, ['c := make(map[string]Row)'])).not.toContain('cache-removed');
  expect(kindsOf(cache, ['row := load(id)'])).toContain('cache-removed');
});

test('the clock is not set where nothing may reach what sets it', () => {
  const egress = '  egress { from_port = 123 to_port = 123 protocol = "udp" }';
  expect(kindsOf([egress], [], 'sg.tf')).toContain('clock-sync-removed');
  expect(kindsOf([egress], [egress.replace('udp', 'UDP')], 'sg.tf')).not.toContain(
    'clock-sync-removed',
  );
});

test('a transaction that is left open keeps the locks of what it wrote', () => {
  const written = ['BEGIN;', "UPDATE rooms SET overbook = 2 WHERE night >= '2026-10-01';"];
  expect(kindsOf([], written, 'fix.sql')).toContain('lock-added');
  expect(kindsOf([], [...written, 'COMMIT;'], 'fix.sql')).not.toContain('lock-added');
});
