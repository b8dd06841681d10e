import { createServer } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { expectSound } from '../../../test/support/streams/expect-sound.js';
import { closedPort, contextOf, Loopback, nodeOf } from '../../../test/support/loopback.js';
import type { JsonObject } from '../../lib/json.js';
import { tcpProbe } from './tcp-probe.js';

const loopback = new Loopback();
afterEach(() => loopback.close());

const probe = async (endpoint: string, attributes: JsonObject = {}, tries = 3) =>
  expectSound(
    await tcpProbe.run({ node: 'target', tries }, contextOf(nodeOf('tcp', endpoint, attributes))),
  );

test.each([
  ['tcp', '127.0.0.1:5432', true],
  ['tcp', '[::1]:5432', true],
  ['tcp', 'db.example', false],
  ['redis', 'redis://:pw@db.example', true],
  ['service', 'http://example.org/x', true],
  ['tls', 'example.org:443', true],
  ['tcp', undefined, false],
  ['host', '127.0.0.1:22', false],
])('applies to %s %s: %s', (kind, endpoint, expected) => {
  expect(tcpProbe.appliesTo(nodeOf(kind, endpoint))).toBe(expected);
});

test('measures connect times, by address and by name', async () => {
  const port = await loopback.open(createServer());
  const six = await loopback.open(createServer(), '::1');
  for (const endpoint of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${six}`]) {
    expect(await probe(endpoint)).toMatchObject({
      status: 'ok',
      issues: [],
      measurements: { tries: 3, failed_tries: 0 },
    });
  }
  expect(await loopback.openConnections()).toBe(0);
});

test('a closed port is unreachable', async () => {
  const result = await probe(`127.0.0.1:${await closedPort()}`);
  expect(result).toMatchObject({
    status: 'failed',
    issues: [
      { severity: 'critical', symptom: 'unreachable', title: 'connection refused (ECONNREFUSED)' },
    ],
  });
});

test('several addresses, none of which answers', async () => {
  expect((await probe(`localhost:${await closedPort()}`, {}, 1)).issues).toMatchObject([
    { title: 'connection refused (ECONNREFUSED)' },
  ]);
});

test('rejects with the reason of its signal', async () => {
  const controller = new AbortController();
  const reason = new Error('cancelled');
  controller.abort(reason);
  await expect(
    tcpProbe.run(
      { node: 'target' },
      contextOf(nodeOf('tcp', '127.0.0.1:1'), { signal: controller.signal }),
    ),
  ).rejects.toBe(reason);
});

test('names a wrong attribute and what is allowed', async () => {
  await expect(probe('127.0.0.1:1', { timeoutMs: 'long' })).rejects.toThrow(
    'attribute timeoutMs of node target must be a number from 100 to 10000, not "long"',
  );
});
