import { expect, test } from '@jest/globals';
import { issueKind, reportedPlace } from './issue-kind.js';
import type { Issue } from './tool-result.js';

const issue = (title: string, more: Partial<Issue> = {}): Issue => ({
  severity: 'critical',
  symptom: 'erroring',
  title,
  detail: '',
  ...more,
});

test.each([
  ['answers 403 Forbidden', '', 'auth'],
  ['answers 429 Too Many Requests', '', 'rate-limited'],
  ['answers 504 Gateway Timeout', '', 'timeout'],
  ['answers 500', 'FATAL: remaining connection slots are reserved', 'connection-pool-exhausted'],
  ['answers 500', 'ENOSPC: no space left on device', 'disk-full'],
  ['answers 500', 'dial tcp: lookup db: no such host', 'dns'],
  ['new error: cannot open database file: disk I/O error', '', 'infrastructure'],
  ['answers 500', 'it said: hello', 'exception'],
])('reads the words of an issue: %s %s', (title, detail, kind) => {
  expect(issueKind(issue(title, { detail }))).toBe(kind);
});

test.each([
  ['cpu fine, memory fine, all good', 'exception'],
  ['order 401 of 9 failed', 'exception'],
  ['disk ok, file system ok, schema 7, backlog 0', 'exception'],
  ['not rate limited, no deadlock detected', 'exception'],
  ['connection reset counter: 0', 'exception'],
  ['no such host was ever a problem here', 'exception'],
  ['no such host in cache, disk full of good things', 'exception'],
  ['certificate has expired, no space left on device, deadlock detected', 'exception'],
  ['x509: certificate has expired or is not yet valid', 'certificate-expired'],
  ['connection pool exhausted', 'connection-pool-exhausted'],
  ['FATAL: too many connections for role', 'connection-pool-exhausted'],
  ['the database answered 401', 'auth'],
])('takes the kind from a quoted body only if that states a failure: %s', (said, kind) => {
  const tries = '3 of 3 tries failed: answers 500 Internal Server Error. Expected status 200-399.';
  const detail = `${tries} It said: "${said}".`;
  expect(issueKind(issue('answers 500 Internal Server Error', { detail }))).toBe(kind);
  expect(issueKind(issue(`answers 500 ${said.replaceAll(',', '')}`))).toBe(kind);
  expect(issueKind(issue(`answers 200, but says it is DOWN: ${said}`))).toBe(kind);
});

test.each([
  '<h1>Forum</h1> connection pool exhausted, no space left on device',
  '<p>It said: "no space left on device".</p>',
])('B8: a page for people states no kind: %s', (page) => {
  const detail = `3 of 3 tries failed. Its page begins: "${page}".`;
  expect(issueKind(issue('answers 500 Internal Server Error', { detail }))).toBe('exception');
});

test('title and detail do not run together', () => {
  const detail =
    '3 of 3 tries failed, some otherwise: connection refused; connection closed before the answer was complete.';
  for (const title of ['answers 200, but says it is DOWN: db', 'answers 500 Oops'])
    expect(issueKind(issue(title, { detail }))).toBe('crash-loop');
  // A certificate, and the end of something else.
  const apart = issue('has no certificate', { symptom: 'erroring', detail: 'A process ended.' });
  expect(issueKind(apart)).toBe('crash');
});

test('a closed connection alone does not show that a process ended', () => {
  const closed = issue('connection closed before the answer was complete');
  expect(issueKind(closed)).toBe('exception');
});

test('a server that refuses a credential does not report it of another', () => {
  const refused = issue('refuses the user or the password (28P01)', {
    symptom: 'invalid',
    kind: 'auth',
    detail: 'It is wrong. It said: "password authentication failed for user "app"".',
  });
  expect(reportedPlace({ ...refused, kind: 'auth' })).toBeUndefined();
  expect(reportedPlace({ ...refused, symptom: 'erroring', kind: 'auth' })).toEqual({});
});

test('what stands behind a quotation is in the words of the tool', () => {
  expect(issueKind(issue('answers 500', { detail: 'It said: "schema 7". Backlog.' }))).toBe(
    'queue-lag',
  );
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
  // Its own.
  ['answers 403 Forbidden', 'access denied', undefined],
  ['answers 500', 'java.lang.OutOfMemoryError: out of memory', undefined],
  ['answers 429 Too Many Requests', 'too many requests', undefined],
  ['answers 500', 'no space left on device', undefined],
])('%s, and says "%s": reports it of %j', (title, said, place) => {
  const found = issue(title, { detail: `3 of 3 tries failed. It said: "${said}".` });
  expect(reportedPlace({ ...found, kind: issueKind(found) })).toEqual(place);
});
