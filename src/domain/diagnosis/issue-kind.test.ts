import { expect, test } from '@jest/globals';
import { issueKind, kindOf, reportedPlace } from './issue-kind.js';
import type { Issue } from './tool-result.js';

const issue = (title: string, more: Partial<Issue> = {}): Issue => ({
  severity: 'critical',
  symptom: 'erroring',
  title,
  detail: '',
  ...more,
});

test.each([
  ['FATAL: remaining connection slots are reserved', 'connection-pool-exhausted'],
  ['ENOSPC: no space left on device', 'disk-full'],
  ['dial tcp: lookup db: no such host', 'dns'],
  ['hello', 'exception'],
])('reads what the target states: %s', (said, kind) => {
  expect(issueKind(issue('answers 500', { detail: `It said: "${said}".` }))).toBe(kind);
});

test.each([
  'answers 403',
  'certificate of shop expired on 2026-01-01',
  'refuses writes because its memory is full',
  'process shop is not running',
])('a title is for people, and gives no kind: %s', (title) => {
  expect(issueKind(issue(title, { detail: `${title}.` }))).toBe('exception');
});

test.each([
  ['cpu fine, memory fine, all good', 'exception'],
  ['order 401 of 9 failed', 'exception'],
  ['disk ok, file system ok, schema 7, backlog 0', 'exception'],
  ['not rate limited, no deadlock detected', 'exception'],
  ['connection reset counter: 0', 'exception'],
  ['no such host was ever a problem here', 'exception'],
  ['no such host in cache, disk full of good things', 'exception'],
  ['"rateLimited": false', 'exception'],
  ['"unauthorized_requests":0', 'exception'],
  ['disk full: false', 'exception'],
  ['"deadlock detected" : true', 'lock'],
  ['OOM killed: orders-7', 'out-of-memory'],
  ['certificate has expired, no space left on device, deadlock detected', 'exception'],
  ['x509: certificate has expired or is not yet valid', 'certificate-expired'],
  ['connection pool exhausted', 'connection-pool-exhausted'],
  ['FATAL: too many connections for role', 'connection-pool-exhausted'],
  ['the database answered 401', 'auth'],
  ['connect ECONNREFUSED 10.0.0.5:5432', 'unreachable'],
  ['dial tcp 10.0.0.5:5432: connect: connection refused', 'unreachable'],
  ['java.lang.OutOfMemoryError: Java heap space', 'out-of-memory'],
  ['Java heap space', 'out-of-memory'],
  ['FATAL ERROR: Allocation failed - JavaScript heap out of memory', 'out-of-memory'],
  ['accept4: too many open files', 'capacity'],
  ['EMFILE: too many open files, open', 'capacity'],
  ['context deadline exceeded', 'timeout'],
  ['rpc error: code = DeadlineExceeded desc = deadline exceeded', 'timeout'],
  ['upstream: 504 Gateway Timeout', 'timeout'],
  ['could not connect to redis: NOAUTH Authentication required', 'auth'],
  ['cannot connect: ECONNREFUSED, and too many open files', 'capacity'],
  ['EROFS: read-only file system', 'volume'],
  ['x509: certificate signed by unknown authority', 'exception'],
  ['deadlock check: ok', 'exception'],
  ['connection pool: 5 of 10 in use', 'exception'],
  ['evicted 5 keys, cache miss, connection refused: 0', 'exception'],
  ['rate limit 100 per minute', 'exception'],
  ['timeout 30 s, retries 3', 'exception'],
  ['"docs":"see permission denied","path":"/no space left"', 'exception'],
  ['"error":"boom","type":"https://errors.example/connection-refused"', 'exception'],
  ['boom at https://shop.example/help/too many', 'exception'],
])('takes the kind from a quoted body only if that states a failure: %s', (said, kind) => {
  const tries = '3 of 3 tries failed: answers 500 Internal Server Error. Expected status 200-399.';
  const detail = `${tries} It said: "${said}".`;
  expect(issueKind(issue('answers 500 Internal Server Error', { detail }))).toBe(kind);
  expect(issueKind(issue(`answers 500 ${said.replaceAll(/[,.]/g, '')}`))).toBe(kind);
  expect(issueKind(issue(`answers 200, but says it is DOWN: ${said}`))).toBe(kind);
});

test.each([
  '<h1>Forum</h1> connection pool exhausted, no space left on device',
  '<p>It said: "no space left on device".</p>',
])('B8: a page for people states no kind: %s', (page) => {
  const detail = `3 of 3 tries failed. Its page begins: "${page}".`;
  expect(issueKind(issue('answers 500 Internal Server Error', { detail }))).toBe('exception');
});

test('a server that refuses a credential does not report it of another', () => {
  const refused = issue('refuses the user or the password (28P01)', {
    symptom: 'invalid',
    kind: 'auth',
    detail: 'It is wrong. It said: "password authentication failed for user "app"".',
  });
  expect(reportedPlace(refused)).toBeUndefined();
  expect(reportedPlace({ ...refused, symptom: 'erroring' })).toBeUndefined();
});

test.each([401, 403, 429, 504])('takes a duration of %d ms for no status', (ms) => {
  const slow = { symptom: 'slow', title: `answers in ${ms} ms, slower than 200 ms` } as const;
  expect(issueKind(issue(slow.title, slow))).toBe('latency');
});

test('prefers what its tool says', () => {
  expect(issueKind(issue('answers 403 Forbidden', { kind: 'config' }))).toBe('config');
});

test.each<[string, string, object | undefined]>([
  [
    'answers 502',
    'tax-service.internal:8443 handshake failed: certificate has expired',
    { host: 'tax-service.internal', port: '8443' },
  ],
  ['answers 500', 'getaddrinfo ENOTFOUND maildb.internal', { host: 'maildb.internal' }],
  ['answers 500', 'dial tcp: lookup db on 10.0.0.2: no such host', { host: 'db' }],
  ['answers 500', 'dial tcp: lookup db on 127.0.0.11:53: no such host', { host: 'db' }],
  ['answers 500', 'dial tcp: lookup @evil.com on 127.0.0.11:53: no such host', {}],
  ['answers 500', 'inventory replied too many requests', {}],
  // Of several hosts none is chosen; a line of a program and a status are no hosts.
  ['answers 500', 'a.example:443 and b.example:443: certificate has expired', {}],
  ['answers 500', 'status:429 at app.js:1042 too many requests', {}],
  ['answers 500', 'getaddrinfo ENOTFOUND $(reboot)', {}],
  ['answers 500', 'getaddrinfo ENOTFOUND -f/etc/passwd', {}],
  ['answers 500', 'password authentication failed for user "app"', {}],
  [
    'answers 200, but says it is DOWN: redis',
    'redis: WRONGPASS invalid username-password pair',
    {},
  ],
  ['answers 503', "cannot book: OOM command not allowed when used memory > 'maxmemory'.", {}],
  [
    'answers 500',
    'connect ECONNREFUSED orders-db.internal:5432',
    { host: 'orders-db.internal', port: '5432' },
  ],
  ['answers 500', 'context deadline exceeded', {}],
  // Its own.
  ['answers 500', 'EMFILE: too many open files', undefined],
  ['answers 500', 'java.lang.OutOfMemoryError: out of memory', undefined],
  ['answers 500', 'no space left on device', undefined],
])('%s, and says "%s": reports it of %j', (title, said, place) => {
  const found = issue(title, { detail: `3 of 3 tries failed. It said: "${said}".` });
  expect(reportedPlace({ ...found, ...kindOf(found) })).toEqual(place);
});
