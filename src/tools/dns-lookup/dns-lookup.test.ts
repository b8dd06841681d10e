import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, expect, test } from '@jest/globals';
import { expectSound } from '../../../test/support/streams/expect-sound.js';
import { contextOf, nodeOf } from '../../../test/support/loopback.js';
import type { JsonObject } from '../../lib/json.js';
import { policyOfTenant, PROBE_POLICY, type ProbePolicy } from '../probe-policy.js';
import { EgressDeniedError, EgressPolicy } from '../egress/egress-policy.js';
import { dnsLookup } from './dns-lookup.js';

const sockets: Socket[] = [];
afterEach(() => sockets.splice(0).forEach((socket) => socket.close()));

/**
 * A name server with one answer for everything: an address for A questions, or an error code (RFC
 * 1035 section 4.1.1), or none.
 */
async function nameServer(answer: {
  address?: number[];
  code?: number;
  silent?: boolean;
}): Promise<string> {
  const socket = createSocket('udp4', (query, { port, address }) => {
    if (answer.silent) return;
    const end = query.indexOf(0, 12) + 5;
    const isA = query.readUInt16BE(end - 4) === 1;
    const records =
      isA && answer.address ? [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...answer.address] : [];
    const header = [
      0x81,
      0x80 | (answer.code ?? 0),
      0,
      1,
      0,
      records.length > 0 ? 1 : 0,
      0,
      0,
      0,
      0,
    ];
    socket.send(
      Buffer.concat([
        query.subarray(0, 2),
        Buffer.from(header),
        query.subarray(12, end),
        Buffer.from(records),
      ]),
      port,
      address,
    );
  });
  sockets.push(socket);
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return `127.0.0.1:${socket.address().port}`;
}

/** Allows the ports of the name servers of this test. */
const policy = () => ({
  ...PROBE_POLICY,
  dnsPorts: sockets.map((socket) => socket.address().port),
});
const look = async (endpoint: string, attributes: JsonObject = {}, kind = 'dns') =>
  expectSound(
    await dnsLookup.run(
      { node: 'target' },
      contextOf(nodeOf(kind, endpoint, attributes), { policy: policy() }),
    ),
  );

test.each([
  ['dns', 'example.org', true],
  ['dns', 'localhost', true],
  ['dns', '10.0.0.1', false],
  ['service', 'https://shop.example/', true],
  ['service', 'http://localhost:80/', false],
  ['tcp', '[::1]:80', false],
  ['redis', 'redis://u:p@cache.example:6379/0', true],
  ['process', undefined, false],
])('applies to %s %s: %s', (kind, endpoint, expected) => {
  expect(dnsLookup.appliesTo(nodeOf(kind, endpoint))).toBe(expected);
});

test('asks the system for a name', async () => {
  const result = await look('localhost', { slowMs: 5_000 });
  expect(result.status).toBe('ok');
  expect(result.measurements['records']).toEqual(
    expect.arrayContaining([expect.stringMatching(/^(127\.0\.0\.1|::1)$/)]),
  );
});

test('shows other tenants no address of the networks of the service', async () => {
  const asked = (policy: ProbePolicy) =>
    dnsLookup.run({ node: 'target' }, contextOf(nodeOf('dns', 'localhost'), { policy }));
  const ofTenant = (allow?: string) =>
    policyOfTenant({ ...PROBE_POLICY, egress: EgressPolicy.of(allow, undefined, []) }, 'acme');
  for (const allow of [undefined, '8.8.8.8'])
    await expect(asked(ofTenant(allow))).rejects.toThrow(EgressDeniedError);
  await expect(asked(ofTenant())).rejects.toThrow(/public addresses only$/);
  expect((await asked(ofTenant('127.0.0.0/8, [::1]'))).status).toBe('ok');
});

test("asks the system's resolver for addresses only, for other tenants", () => {
  const deniedFor = (attributes: JsonObject, policy: ProbePolicy) =>
    dnsLookup.denied?.(nodeOf('dns', 'shop.example', attributes), policy);
  const ofTenant = policyOfTenant(PROBE_POLICY, 'acme');
  for (const recordType of ['TXT', 'cname', 'MX', 'NS', 'SRV']) {
    expect(deniedFor({ recordType }, ofTenant)).toMatchObject({
      field: 'attributes.recordType',
      error: { code: 'EGRESS_DENIED' },
    });
    expect(deniedFor({ recordType, server: '8.8.8.8' }, ofTenant)).toBeUndefined();
    expect(deniedFor({ recordType }, PROBE_POLICY)).toBeUndefined();
  }
  for (const attributes of [{}, { recordType: 'A' }, { recordType: 'aaaa' }])
    expect(deniedFor(attributes, ofTenant)).toBeUndefined();
});

test('asks a name server, and compares with what is expected', async () => {
  const server = await nameServer({ address: [10, 1, 2, 3] });
  expect(await look('shop.example', { server })).toMatchObject({
    status: 'ok',
    measurements: { records: ['10.1.2.3'], server, record_type: 'address' },
  });
  expect(
    await look('shop.example', { server, recordType: 'a', expectAddress: '10.1.2.3' }),
  ).toMatchObject({ status: 'ok' });
  const wrong = await look('shop.example', { server, expectAddress: ['10.1.2.3', '10.9.9.9'] });
  expect(wrong.issues).toMatchObject([
    {
      severity: 'critical',
      symptom: 'invalid',
      kind: 'dns',
      steps: 'wrong-record',
      title: 'shop.example does not resolve to 10.9.9.9',
      detail: 'Got 10.1.2.3; expected 10.1.2.3, 10.9.9.9.',
    },
  ]);
});

test.each([
  [{ code: 3 }, 'erroring', 'no such host name: shop.example', undefined],
  [{ code: 2 }, 'erroring', 'the name server failed (SERVFAIL)', 'name-server'],
  [{ code: 5 }, 'erroring', 'the name server refuses to answer (REFUSED)', 'name-server'],
  [{}, 'erroring', 'shop.example has no records of this type', undefined],
  [{ silent: true }, 'unreachable', 'no answer to shop.example in time', 'name-server'],
])('a name server that answers %j', async (answer, symptom, title, steps) => {
  const result = await look('shop.example', { server: await nameServer(answer), timeoutMs: 400 });
  expect(result).toMatchObject({
    status: 'failed',
    issues: [{ severity: 'critical', symptom, kind: 'dns', title }],
  });
  expect(result.issues[0]?.steps).toBe(steps);
});

test.each([
  [{ code: 3 }, 'nameless'],
  [{}, 'nameless'],
  [{ code: 2 }, 'unreachable'],
])('for a service an answer %j means that it is %s', async (answer, symptom) => {
  const server = await nameServer(answer);
  expect((await look('http://shop.example/', { server }, 'service')).issues).toMatchObject([
    { symptom },
  ]);
});

test('M4: asks a name server on port 53 only, unless the operator allows others', () => {
  const deniedFor = (server: string, policy = PROBE_POLICY) =>
    dnsLookup.denied?.(nodeOf('dns', 'shop.example', { server }), policy);
  for (const server of ['10.0.0.2', '10.0.0.2:53', '::1', '[::1]:53'])
    expect(deniedFor(server)).toBeUndefined();
  for (const server of ['10.0.0.2:5353', '[::1]:1', '10.0.0.2:0', '127.0.0.1:11211'])
    expect(deniedFor(server)).toMatchObject({
      field: 'attributes.server',
      error: { code: 'EGRESS_DENIED' },
    });
  expect(deniedFor('10.0.0.2:5353', { ...PROBE_POLICY, dnsPorts: [5353] })).toBeUndefined();
  expect(deniedFor('10.0.0.2', { ...PROBE_POLICY, dnsPorts: [5353] })).toBeDefined();
});

test('stops when its signal fires', async () => {
  const controller = new AbortController();
  const reason = new Error('cancelled');
  const node = nodeOf('dns', 'shop.example', { server: await nameServer({ silent: true }) });
  setTimeout(() => controller.abort(reason), 30);
  await expect(
    dnsLookup.run(
      { node: 'target' },
      contextOf(node, { signal: controller.signal, policy: policy() }),
    ),
  ).rejects.toBe(reason);
});

test.each([
  [{ server: 'ns.example' }, /attribute server/],
  [{ recordType: 'BOGUS' }, /attribute recordType/],
  [{ expectAddress: 3 }, /attribute expectAddress/],
])('refuses %j', async (attributes, message) => {
  await expect(look('shop.example', attributes)).rejects.toThrow(message);
});
