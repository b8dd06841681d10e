// Publishes to Nchan over HTTP: keep-alive connections, one POST per event.
import { once } from 'node:events';
import net from 'node:net';
import { now } from '../lib/clock.mjs';
import { payload } from '../lib/event.mjs';
import { serve } from '../lib/helper.mjs';
import { atRate } from '../lib/rate.mjs';

/** Bytes that Nchan adds to a message: `id: 1234567890:0`, `data: `, an empty line. */
const AROUND = 28;
let connections = [];

/** A connection with one open request at a time. */
async function connect(port) {
  const socket = net.connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  let waiting;
  let text = '';
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1');
    const end = text.indexOf('\r\n\r\n');
    if (end === -1) return;
    const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
    if (text.length < end + 4 + length) return;
    const good = /^HTTP\/1.1 20[012]/.test(text);
    const { resolve, reject } = waiting;
    if (good) resolve();
    else reject(new Error(text));
    text = '';
  });
  socket.on('close', () => waiting?.reject(new Error('Nchan has closed the connection')));
  return {
    socket,
    post: (path, body) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        socket.write(
          `POST ${path} HTTP/1.1\r\nHost: bench\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
        );
      }),
  };
}

serve({
  async open({ url, window }) {
    connections = await Promise.all(
      Array.from({ length: window }, () => connect(Number(new URL(url).port))),
    );
  },

  /** Sends `events` to each channel, round robin, with one open request per connection. */
  async flood({ ids, events, frameBytes }) {
    const start = now();
    let sent = 0;
    const lane = async ({ post }) => {
      while (sent < events * ids.length)
        await post(`/pub/${ids[sent++ % ids.length]}`, payload(frameBytes - AROUND));
    };
    await Promise.all(connections.map(lane));
    return { start, end: now() };
  },

  async steady({ ids, rate, seconds, frameBytes }) {
    const free = [...connections];
    const waiting = [];
    const publish = async (id) => {
      // The time is taken before the wait for a connection, which is part of the latency.
      const body = payload(frameBytes - AROUND);
      const connection = free.pop() ?? (await new Promise((resolve) => waiting.push(resolve)));
      await connection.post(`/pub/${id}`, body);
      const next = waiting.shift();
      if (next) next(connection);
      else free.push(connection);
    };
    return atRate(rate, seconds, (i) => publish(ids[i % ids.length]));
  },

  close() {
    for (const { socket } of connections) socket.destroy();
    connections = [];
  },
});
