import { once } from 'node:events';
import { Agent, createServer, get, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { afterEach, expect, it } from '@jest/globals';
import {
  BEFORE_HEAD,
  endlessServer,
  SWITCHED,
} from '../../../test/support/hostile/endless-server.js';
import { Loopback } from '../../../test/support/loopback.js';
import { boundHead, MOST_HEAD_BYTES } from './bound-head.js';

const loopback = new Loopback();
afterEach(() => loopback.close());
/** What Node reads from a connection at once. */
const CHUNK = 65_536;

it.each(BEFORE_HEAD)('reads a bounded part of endless %s', async (_, piece) => {
  const port = await loopback.open(endlessServer(piece));
  const outgoing = boundHead(get({ port, agent: false }));
  const [socket] = (await once(outgoing, 'socket')) as [Socket];
  await expect(once(outgoing, 'response')).rejects.toThrow('no complete head within 32 KiB');
  expect(socket.bytesRead).toBeLessThanOrEqual(MOST_HEAD_BYTES + CHUNK);
});

it('ends a request whose answer changes the protocol', async () => {
  const port = await loopback.open(endlessServer('GET / HTTP/1.1\r\n\r\n', SWITCHED));
  const outgoing = boundHead(get({ port, agent: false }));
  await expect(once(outgoing, 'response')).rejects.toThrow('closed before it was answered');
});

it('leaves a large answer after large hints, and a connection that is kept alive, as they are', async () => {
  const port = await loopback.open(
    createServer((_, response) => {
      for (let i = 0; i < 3; i++) response.writeEarlyHints({ link: `</${'a'.repeat(5_000)}>` });
      response.setHeader('x-a', 'b'.repeat(12_000)).end('c'.repeat(1_000_000));
    }),
  );
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = async () => {
    const outgoing = boundHead(get({ port, agent }));
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    const listeners = incoming.socket.listenerCount('data');
    let size = 0;
    for await (const chunk of incoming as AsyncIterable<Buffer>) size += chunk.length;
    return { size, socket: incoming.socket, listeners };
  };
  const first = await ask();
  expect(first.size).toBe(1_000_000);
  expect(await ask()).toEqual(first);
  agent.destroy();
});
