// better-sse as its documentation describes: a channel, registered sessions, one broadcast per
// event.
import { createServer } from 'node:http';
import { createChannel, createSession } from 'better-sse';
import { now } from '../lib/clock.mjs';
import { payload } from '../lib/event.mjs';
import { serve } from '../lib/helper.mjs';

const MOST_BUFFERED = 1 << 20;
const channel = createChannel();
const sockets = new Set();

const server = createServer(async (request, response) => {
  const session = await createSession(request, response, { serializer: (text) => text });
  sockets.add(response.socket);
  response.on('close', () => sockets.delete(response.socket));
  channel.register(session);
});

serve({
  start: () =>
    new Promise((resolve) =>
      server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${server.address().port}`)),
    ),

  /** Broadcasts from within the server, without a hop before it. Waits for full sockets. */
  async flood({ events, frameBytes }) {
    const start = now();
    for (let i = 0; i < events; i++) {
      const eventId = String(10_000 + i);
      channel.broadcast(payload(frameBytes - 40), 'llm.stream', { eventId });
      if (i % 16 !== 15) continue;
      do await new Promise((resolve) => setImmediate(resolve));
      while ([...sockets].some((socket) => socket.writableLength > MOST_BUFFERED));
    }
    return { start, end: now() };
  },
});
