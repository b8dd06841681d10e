// The upper bound for a Node server: it writes the same buffer to every socket. No log, no Redis,
// no parsing, no resuming.
import { createServer } from 'node:http';
import net from 'node:net';
import { Redis } from 'ioredis';
import { now } from '../lib/clock.mjs';
import { frame } from '../lib/event.mjs';
import { serve } from '../lib/helper.mjs';

const MOST_BUFFERED = 1 << 20;
const sockets = new Set();

const server = createServer((request, response) => {
  response.useChunkedEncodingByDefault = false;
  response.shouldKeepAlive = false;
  response.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8' });
  response.flushHeaders();
  const { socket } = response;
  socket.setNoDelay(true);
  sockets.add(socket);
  socket.on('close', () => sockets.delete(socket));
});

/** @returns a socket whose send buffer is full, if there is one */
function writeToAll(bytes) {
  let full;
  for (const socket of sockets) {
    socket.write(bytes);
    if (socket.writableLength > MOST_BUFFERED) full = socket;
  }
  return full;
}

/**
 * Receives events of another process over one TCP connection, as the product receives them from
 * Redis.
 */
const source = net.createServer((publisher) => publisher.setNoDelay(true).on('data', writeToAll));

/** A message has one line before its frames. */
function passOn(redis) {
  let heard = [];
  const flush = () => {
    writeToAll(heard.length === 1 ? heard[0] : Buffer.concat(heard));
    heard = [];
  };
  redis.on('messageBuffer', (_, message) => {
    if (heard.push(message.subarray(message.indexOf(10) + 1)) === 1) setImmediate(flush);
  });
}

let subscriber;

const listen = (what) =>
  new Promise((resolve) => what.listen(0, '127.0.0.1', () => resolve(what.address().port)));

serve({
  async start() {
    return { url: `http://127.0.0.1:${await listen(server)}`, source: await listen(source) };
  },

  /**
   * Forwards what is published to the product's channel of a run, with one write per turn of the
   * event loop.
   */
  async subscribe({ redisUrl, channel }) {
    if (subscriber === undefined) passOn((subscriber = new Redis(redisUrl)));
    await subscriber.subscribe(channel);
  },

  /**
   * Writes a buffer of `batch` frames to every socket once per turn of the event loop, until all
   * events are written.
   */
  async flood({ events, batch, frameBytes }) {
    const buffer = Buffer.from(
      Array.from({ length: batch }, (_, i) => frame(10_000 + i, frameBytes)).join(''),
    );
    const turns = Math.ceil(events / batch);
    const start = now();
    for (let turn = 0; turn < turns; turn++) {
      const full = writeToAll(buffer);
      await new Promise((resolve) => (full ? full.once('drain', resolve) : setImmediate(resolve)));
    }
    return { start, end: now(), events: turns * batch, bytes: turns * buffer.length };
  },
});
