import { createServer as createTcpServer } from 'node:net';
import { createServer } from 'node:tls';
import { afterEach, expect, test } from '@jest/globals';
import { expectSound } from '../../../test/support/streams/expect-sound.js';
import {
  closedPort,
  contextOf,
  Loopback,
  nodeOf,
  testCa,
  testCertificate,
} from '../../../test/support/loopback.js';
import type { JsonObject } from '../../lib/json.js';
import { tlsCertificate } from './tls-certificate.js';

const loopback = new Loopback();
afterEach(() => loopback.close());

async function look(
  name: Parameters<typeof testCertificate>[0],
  attributes: JsonObject = {},
  host = 'localhost',
) {
  const port = await loopback.open(
    createServer(testCertificate(name)).on('tlsClientError', () => undefined),
  );
  return inspect(`${host}:${port}`, attributes);
}
const inspect = async (endpoint: string, attributes: JsonObject = {}) =>
  expectSound(
    await tlsCertificate.run({ node: 'target' }, contextOf(nodeOf('tls', endpoint, attributes))),
  );

test.each([
  ['tls', 'example.org:443', true],
  ['tls', 'https://example.org', true],
  ['service', 'https://example.org/', true],
  ['redis', 'rediss://example.org', true],
  ['service', 'http://example.org/', false],
  ['tls', undefined, false],
])('applies to %s %s: %s', (kind, endpoint, expected) => {
  expect(tlsCertificate.appliesTo(nodeOf(kind, endpoint))).toBe(expected);
});

test('a valid certificate, by name and by address', async () => {
  for (const host of ['localhost', '127.0.0.1']) {
    const result = await look('valid', { ca: testCa() }, host);
    expect(result).toMatchObject({
      status: 'ok',
      issues: [],
      measurements: {
        certificate: {
          subject: 'localhost',
          issuer: 'Consilium test CA',
          trusted: true,
          host_matches: true,
          protocol: 'TLSv1.3',
        },
      },
    });
  }
});

test('an expired one is critical, also where the issuer is unknown', async () => {
  for (const attributes of [{ ca: testCa() }, {}, { trustSelfSigned: true }]) {
    const result = await look('expired', attributes);
    expect(result.issues).toMatchObject([
      {
        severity: 'critical',
        symptom: 'invalid',
        title: 'certificate of localhost expired on 2021-01-01',
      },
    ]);
  }
});

test('an expired one that is self-signed says so, also where it is trusted', async () => {
  for (const attributes of [{}, { trustSelfSigned: true }]) {
    const { issues } = await look('expired-self-signed', attributes);
    expect(issues).toMatchObject([
      {
        kind: 'certificate-expired',
        steps: 'self-signed-expired',
        title: 'self-signed certificate of localhost expired on 2021-01-01',
      },
    ]);
  }
});

test('one that ends soon is a warning, one that ends a little later is near', async () => {
  const daysLeft = Math.floor((Date.parse('2120-01-01T00:00:00Z') - Date.now()) / 86_400_000);
  const soon = await look('valid', { ca: testCa(), certificateDays: daysLeft + 10 });
  expect(soon).toMatchObject({
    status: 'degraded',
    issues: [
      {
        severity: 'warning',
        symptom: 'advisory',
        title: `certificate of localhost ends in ${daysLeft} days`,
      },
    ],
  });
  const near = await look('valid', { ca: testCa(), certificateDays: daysLeft - 10 });
  expect(near).toMatchObject({
    status: 'ok',
    near: [{ metric: 'days_left', value: daysLeft, threshold: daysLeft - 10 }],
  });
});

test('self-signed, unless that is allowed', async () => {
  const [advised, known] = await Promise.all([
    look('self-signed'),
    look('self-signed', { ca: testCa() }),
  ]);
  expect(advised.issues[0]?.detail).toContain('set the attribute trustSelfSigned or ca.');
  expect(known.issues[0]?.detail).toContain('not the issuer of the attribute ca');
  expect((await look('self-signed')).issues).toMatchObject([
    {
      symptom: 'invalid',
      steps: 'certificate',
      title: 'certificate of localhost is self-signed (DEPTH_ZERO_SELF_SIGNED_CERT)',
    },
  ]);
  expect((await look('self-signed', { trustSelfSigned: true })).issues).toEqual([]);
});

test('for another name, unless that is the one asked for', async () => {
  const result = await look('other-name', { ca: testCa() });
  expect(result.issues).toMatchObject([
    {
      symptom: 'invalid',
      steps: 'certificate',
      title: 'certificate of shop.example is not for localhost',
    },
  ]);
  expect((await look('other-name', { ca: testCa(), serverName: 'shop.example' })).issues).toEqual(
    [],
  );
});

test('no server, no TLS, a server that hangs up or hangs', async () => {
  expect((await inspect(`127.0.0.1:${await closedPort()}`)).issues).toMatchObject([
    { symptom: 'unreachable', title: 'connection refused (ECONNREFUSED)' },
  ]);
  const plain = await loopback.open(
    createTcpServer((socket) => socket.resume().end('220 smtp.example ESMTP\r\n')),
  );
  expect((await inspect(`127.0.0.1:${plain}`)).issues).toMatchObject([
    { kind: 'wrong-address', title: 'the server is an SMTP server, not a TLS server' },
  ]);
  const closing = await loopback.open(createTcpServer((socket) => socket.destroy()));
  expect((await inspect(`127.0.0.1:${closing}`)).issues).toMatchObject([
    { symptom: 'erroring', title: 'connection closed during the TLS handshake' },
  ]);
  const silent = await loopback.open(createTcpServer((socket) => socket.resume()));
  expect((await inspect(`127.0.0.1:${silent}`, { timeoutMs: 100 })).issues).toMatchObject([
    { symptom: 'slow', title: 'connected, but no TLS handshake within 100 ms' },
  ]);
  expect(await loopback.openConnections()).toBe(0);
});

test('a ca that is none', async () => {
  await expect(inspect('127.0.0.1:1', { ca: '/etc/passwd' })).rejects.toThrow(
    'attribute ca of node target must be a certificate as PEM text',
  );
});
