// Sends frames to the bare server at a steady rate.
import { once } from 'node:events';
import net from 'node:net';
import { frame } from '../lib/event.mjs';
import { serve } from '../lib/helper.mjs';
import { atRate } from '../lib/rate.mjs';

let socket;

serve({
  async open({ port }) {
    socket = net.connect({ port, host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
  },

  steady: ({ rate, seconds, frameBytes }) =>
    atRate(rate, seconds, (i) => socket.write(frame(10_000 + i, frameBytes))),
});
