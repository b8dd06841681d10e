import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Response } from 'express';
import { completed, text } from '../../test/support/incidents/drafts.js';
import { feedNode, TestRun } from '../../test/support/streams/feed-node.js';
import { Loopback } from '../../test/support/loopback.js';
import { testRedis, type TestRedis } from '../../test/support/redis.js';
import { until } from '../../test/support/until.js';
import type { Feed } from './feed.js';
import { beginEventStream } from './event-stream.js';

const BUFFER = 32_768;

let corner: TestRedis;
let node: ReturnType<typeof feedNode>;
const loopback = new Loopback();
beforeAll(() => {
  Logger.overrideLogger(false);
  corner = testRedis();
  node = feedNode(corner, corner.url, { followerBufferBytes: BUFFER, followerStuckSeconds: 5 });
});
afterAll(async () => {
  await node.feed.onApplicationShutdown();
  await loopback.close();
  await corner.close();
});

/** A server whose responses are the streams of a run, and the open responses. */
async function serve(run: TestRun, feed: Feed = node.feed) {
  const open = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    open.add(response);
    let leave = () => {};
    response.on('close', () => {
      open.delete(response);
      leave();
    });
    const sink = beginEventStream(response as Response, { 'X-Run-Id': run.runId });
    void feed.follow(run.runId, Number(request.url?.slice(1) ?? 0), sink).then((stop) => {
      leave = stop;
      if (response.destroyed) leave();
    });
  });
  return { port: await loopback.open(server), open };
}

/** A client without a library that can stop reading. */
function client(port: number, request = 'GET /0 HTTP/1.1\r\nHost: x\r\n\r\n') {
  const socket: Socket = connect(port, '127.0.0.1');
  const got = { socket, text: '', ended: false, lastId: 0 };
  let tail = '';
  socket.setEncoding('utf8');
  socket.on('data', (chunk: string) => {
    got.text += chunk;
    // Not in the whole text: each search would copy it.
    const late = tail + chunk;
    for (const [, id] of late.matchAll(/\nid: (\d+)\n/g)) got.lastId = Number(id);
    tail = late.slice(-20);
  });
  socket.on('error', () => undefined);
  socket.on('close', () => (got.ended = true));
  socket.write(request);
  return got;
}

const begin = () => new TestRun(node.log, corner.redis).begin();
const bodyOf = ({ text: all }: { text: string }) =>
  all
    .slice(all.indexOf('\r\n\r\n') + 4)
    .replace('retry: 3000\n\n', '')
    .replaceAll(': ping\n\n', '');

describe('an event stream', () => {
  it('sends the same bytes over HTTP/1.1 and 1.0 and ends with the connection', async () => {
    const run = await begin();
    const { port } = await serve(run);
    const clients = [client(port), client(port, 'GET /0 HTTP/1.0\r\n\r\n')];
    await run.append(text('one'), text('two'));
    await run.append(completed);
    await until('the end of both streams', () => clients.every(({ ended }) => ended));
    for (const one of clients) {
      expect(one.text).toMatch(
        /^HTTP\/1.1 200 OK\r\nContent-Type: text\/event-stream; charset=utf-8\r\nCache-Control: no-cache, no-transform\r\nX-Accel-Buffering: no\r\n/,
      );
      expect(one.text).toContain('\r\nConnection: close\r\n');
      expect(one.text).not.toMatch(/Transfer-Encoding|Content-Length/i);
      expect(one.text).toContain('\r\n\r\nretry: 3000\n\nevent: lifecycle.started\n');
      expect(bodyOf(one)).toBe(await run.after(0));
    }
  });

  it('waits for earlier requests of its connection', async () => {
    const run = await begin();
    const gate = { open: () => {} };
    const waiting = new Promise<void>((resolve) => (gate.open = resolve));
    const server = createServer((request, response) => {
      if (request.url === '/first') return void waiting.then(() => response.end('first'));
      const sink = beginEventStream(response as Response, {});
      return void node.feed.follow(run.runId, 0, sink).then((leave) => response.on('close', leave));
    });
    const one = client(
      await loopback.open(server),
      'GET /first HTTP/1.1\r\nHost: x\r\n\r\nGET /0 HTTP/1.1\r\nHost: x\r\n\r\n',
    );
    await run.append(...Array.from({ length: 40 }, () => text('x'.repeat(4_000))));
    await sleep(300);
    expect(one.text).toBe('');
    gate.open();
    await run.append(completed);
    await until('the end of the stream', () => one.ended);
    const second = one.text.slice(one.text.indexOf('first') + 5);
    expect(bodyOf({ text: second })).toBe(await run.after(0));
  });

  it('sends no body for HEAD', async () => {
    const run = await begin();
    const { port, open } = await serve(run);
    const one = client(port, 'HEAD /0 HTTP/1.1\r\nHost: x\r\n\r\n');
    await until('the end of the response', () => one.ended);
    expect(one.text).toContain('text/event-stream');
    expect(bodyOf(one)).toBe('');
    expect(open.size).toBe(0);
  });

  it('buffers little for many stuck clients, disconnects them, and stays fast for others', async () => {
    const run = await begin();
    const { port, open } = await serve(run);
    const fast = client(port);
    let last = 1;
    /** 1 MB for all clients. @returns ms until the fast one has it */
    const round = async () => {
      const started = performance.now();
      await Promise.all(Array.from({ length: 10 }, () => run.append(text('x'.repeat(100_000)))));
      last += 10;
      await until('the data at the fast client', () => fast.lastId >= last);
      return performance.now() - started;
    };
    const alone = Math.max(await round(), await round(), await round());
    const stuck = Array.from({ length: 100 }, () =>
      client(port, `GET /${last} HTTP/1.1\r\nHost: x\r\n\r\n`),
    );
    await Promise.all(
      stuck.map(async ({ socket }) => {
        await once(socket, 'connect');
        socket.pause();
      }),
    );
    await until('all responses', () => open.size === 101);
    // 60 MB: more than the kernel buffers for a socket.
    let slowest = 0;
    const held: number[] = [];
    for (let i = 0; i < 60; i++) {
      slowest = Math.max(slowest, await round());
      held.push(Math.max(...[...open].map(({ socket }) => socket?.writableLength ?? 0)));
    }
    // One turn may add the appends of one round.
    expect(Math.max(...held)).toBeLessThan(BUFFER + 1_100_000);
    expect(slowest).toBeLessThan(10 * alone + 20_000);
    await until('the end of the stuck responses', () => open.size === 1);
    await until('the end of their followers', () => node.feed.load.followers === 1);
    await run.append(completed);
    await until('the end of the fast stream', () => fast.ended);
    expect(bodyOf(fast)).toBe(await run.after(0));
    const cut = stuck[0];
    cut?.socket.resume();
    await until('the end of a stuck stream', () => cut?.ended);
    // The stream ends within a frame, which a client drops. The client has a prefix and resumes
    // after it.
    expect((await run.after(31)).startsWith(bodyOf(cut as { text: string }))).toBe(true);
    for (const { socket } of stuck) socket.destroy();
  });

  it('delivers everything to a slow client, also with a small buffer', async () => {
    const run = await begin();
    const { feed } = feedNode(corner, corner.url, {
      followerBufferBytes: 1_024,
      followerStuckSeconds: 5,
    });
    const { port } = await serve(run, feed);
    const slow = client(port);
    for (let i = 0; i < 30; i++) await run.append(text('x'.repeat(200_000)));
    const pause = setInterval(() => {
      slow.socket.pause();
      setTimeout(() => slow.socket.resume(), 40);
    }, 60);
    await run.append(completed);
    await until('the end of the slow stream', () => slow.ended);
    clearInterval(pause);
    expect(bodyOf(slow)).toBe(await run.after(0));
    await feed.onApplicationShutdown();
  });

  it('ends at the boundary of a frame when the feed drains', async () => {
    const run = await begin();
    const { feed } = feedNode(corner);
    const { port } = await serve(run, feed);
    const clients = Array.from({ length: 5 }, () => client(port));
    await until('all followers', () => feed.load.followers === 5);
    for (let i = 0; i < 20; i++) void run.append(text('x'.repeat(50_000)));
    await sleep(30);
    await feed.drain();
    await until('the end of all streams', () => clients.every(({ ended }) => ended));
    const whole = await run.after(0);
    for (const one of clients) {
      expect(whole.startsWith(bodyOf(one))).toBe(true);
      expect(one.text.endsWith('\n\n')).toBe(true);
    }
    await feed.onApplicationShutdown();
  });
});
