import { expect, test } from '@jest/globals';
import { expiredCertificates } from './expired-certificates.js';

const HOUR = 3_600_000;
const start = Date.parse('2026-01-01T00:00:00Z');
const frame = { start, now: start + HOUR };

const found = (name: string, ends: number) =>
  expiredCertificates(
    [{ name, labels: {}, node: 'ldap', times: [start, start + HOUR], values: [ends, ends] }],
    frame,
  );

test('a certificate that ends within the recording has expired since then', () => {
  const at = start + HOUR / 2;
  expect(found('probe_ssl_earliest_cert_expiry', at / 1_000)).toEqual([
    { node: 'ldap', name: 'probe_ssl_earliest_cert_expiry', at },
  ]);
});

test.each([
  ['ends later', 'x509_cert_not_after', (start + 2 * HOUR) / 1_000],
  ['ended long ago', 'x509_cert_not_after', (start - HOUR) / 1_000],
  ['is named by a number of days', 'ssl_cert_expiry_days', 12],
])('a certificate that %s has not expired within it', (_, name, ends) => {
  expect(found(name, ends)).toEqual([]);
});

test('the end of something else is no certificate', () => {
  expect(found('session_expiry', (start + HOUR / 2) / 1_000)).toEqual([]);
});
