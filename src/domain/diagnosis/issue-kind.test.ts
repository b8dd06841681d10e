import { expect, test } from '@jest/globals';
import { issueKind } from './issue-kind.js';
import type { Issue } from './tool-result.js';

const issue = (title: string, more: Partial<Issue> = {}): Issue => ({
  ...{ severity: 'critical', symptom: 'erroring', title, detail: '' },
  ...more,
});

test.each([
  ['answers 403 Forbidden', '', 'auth'],
  ['answers 429 Too Many Requests', '', 'rate-limited'],
  ['answers 504 Gateway Timeout', '', 'timeout'],
  ['answers 500', 'FATAL: remaining connection slots are reserved', 'connection-pool-exhausted'],
  ['answers 500', 'ENOSPC: no space left on device', 'disk-full'],
  ['answers 500', 'dial tcp: lookup db: no such host', 'dns'],
  ['answers 500', 'it said: hello', 'exception'],
])('reads the words of an issue: %s %s', (title, detail, kind) => {
  expect(issueKind(issue(title, { detail }))).toBe(kind);
});

test.each([401, 403, 429, 504])('takes a duration of %d ms for no status', (ms) => {
  const slow = { symptom: 'slow', title: `answers in ${ms} ms, slower than 200 ms` } as const;
  expect(issueKind(issue(slow.title, slow))).toBe('latency');
});

test('prefers what its tool says', () => {
  expect(issueKind(issue('answers 403 Forbidden', { kind: 'config' }))).toBe('config');
});
