import { createServer, type Socket } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { Loopback } from '../../test/support/loopback.js';
import { startPrivateRedis } from '../local/private-redis.js';
import { freePort } from '../local/loopback.js';
import { storeFault } from './store-fault.js';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function server(onSocket: (socket: Socket) => void): Promise<number> {
  const loopback = new Loopback();
  closers.push(() => loopback.close());
  return loopback.open(createServer(onSocket));
}

async function securedRedis(): Promise<{ port: number; password: string }> {
  const redis = await startPrivateRedis({ secured: true });
  closers.push(() => redis.stop());
  return { port: redis.port, password: new URL(redis.url).password };
}

const faultOf = (url: string, timeoutMs = 10_000) => storeFault(url, timeoutMs);

test('finds no fault if one server of the URL answers', async () => {
  const { port, password } = await securedRedis();
  expect(await faultOf(`redis://:${password}@127.0.0.1:${port}/3`)).toBeUndefined();
  expect(await faultOf(`redis://default:${password}@127.0.0.1:${port}`)).toBeUndefined();
});

test('accepts a sentinel that knows the master, and names one that does not', async () => {
  const sentinel = (reply: string) =>
    server((socket) => socket.once('data', () => socket.write(reply)));
  const knowing = await sentinel('*2\r\n$9\r\n127.0.0.1\r\n$4\r\n6379\r\n');
  expect(await faultOf(`redis+sentinel://127.0.0.1:${knowing}/main`)).toBeUndefined();
  const other = await sentinel('*-1\r\n');
  expect(await faultOf(`redis+sentinel://127.0.0.1:${other}/main`)).toEqual({
    message: expect.stringMatching(/knows no master "main"\. Correct its name in REDIS_URL/),
    isLasting: false,
  });
  // One of several is enough.
  const nothing = await freePort();
  const both = `redis+sentinel://127.0.0.1:${nothing},127.0.0.1:${knowing}/main`;
  expect(await faultOf(both)).toBeUndefined();
});

test('waits for a server that may come back, even if another one is no Redis', async () => {
  const web = await server((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  const nothing = await freePort();
  expect(await faultOf(`redis+cluster://127.0.0.1:${web},127.0.0.1:${nothing}`)).toEqual({
    message: expect.stringContaining(`127.0.0.1:${nothing} refuses connections`),
    isLasting: false,
  });
});

test('names the address, the fault and the remedy, and never a password', async () => {
  const { port, password } = await securedRedis();
  const nothing = await freePort();
  const web = await server((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  const closing = await server((socket) => socket.destroy());
  const cases: [url: string, message: RegExp, isLasting: boolean][] = [
    [
      `redis://u:hunter2@127.0.0.1:${nothing}`,
      /^127\.0\.0\.1:\d+ refuses connections \(ECONNREFUSED\)\. Start Redis there, or correct host and port in REDIS_URL/,
      false,
    ],
    ['redis://u:hunter2@no-such-host.invalid', /no-such-host\.invalid:6379 cannot be/, false],
    [`redis://:hunter2@127.0.0.1:${port}`, /refuses this service: "WRONGPASS.*password in/, true],
    [`redis://127.0.0.1:${port}`, /refuses this service: "NOAUTH.*password in REDIS_URL/, true],
    [`redis://u:hunter2@127.0.0.1:${web}`, /is no Redis: it replies "HTTP\/1\.1 400 Bad/, true],
    [`redis://u:hunter2@127.0.0.1:${closing}`, /closes the connection.*rediss:\/\/ there/, false],
    [
      `redis+cluster://:${password}@127.0.0.1:${port}`,
      /no node of a cluster\. Use redis:\/\//,
      true,
    ],
    [`redis+sentinel://127.0.0.1:${port}/main?sentinelPassword=${password}`, /no sentinel/, true],
  ];
  for (const [url, message, isLasting] of cases) {
    const fault = await faultOf(url);
    expect(fault).toEqual({ message: expect.stringMatching(message), isLasting });
    expect(fault?.message).not.toMatch(new RegExp(`hunter2|${password}`));
  }
});

test('a server that does not reply may come back, and one that replies endlessly is no Redis', async () => {
  const silent = await server((socket) => socket.on('error', () => undefined));
  expect(await faultOf(`redis://127.0.0.1:${silent}`, 200)).toEqual({
    message: expect.stringMatching(/does not reply\. Check the network/),
    isLasting: false,
  });
  const endless = await server((socket) => {
    socket.on('error', () => undefined);
    socket.write('\x1b]0;x'.repeat(10_000));
  });
  const fault = await faultOf(`redis://127.0.0.1:${endless}`);
  expect(fault).toEqual({
    message: expect.stringMatching(/is no Redis: it replies "\?\]0;x/),
    isLasting: true,
  });
});
