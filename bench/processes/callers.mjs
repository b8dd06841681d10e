// Clients that POST and read the response to its end, each on its own connection.
import net from 'node:net';
import { now } from '../lib/clock.mjs';
import { serve } from '../lib/helper.mjs';

const STARTED = 'event: lifecycle.started';
let background;

/**
 * @param cut disconnect as soon as `awaited` was received
 * @returns ms to the first byte of `awaited` and to the end, and the response
 */
function call({ host, port, path, headers, body, awaited, cut }) {
  return new Promise((resolve, reject) => {
    const start = now();
    let text = '';
    let first = undefined;
    let status = undefined;
    const extra = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const socket = net.connect({ host, port, noDelay: true }, () =>
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: ${host}:${port}\r\nConnection: close\r\nAccept: text/event-stream\r\n` +
          `${extra.join('')}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      ),
    );
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1');
      status ??= Number(text.slice(9, 12));
      if (first !== undefined || !text.includes(awaited)) return;
      first = now() - start;
      if (cut) socket.destroy();
    });
    socket.on('error', reject);
    socket.on('close', () => {
      if (first === undefined)
        return reject(new Error(`no "${awaited}" in an answer: ${text.slice(0, 500)}`));
      resolve({ first, total: now() - start, status, text });
    });
  });
}

function target({ url, path, headers = {}, body = '', awaited = STARTED, cut = false }) {
  const { hostname: host, port } = new URL(url);
  return { host, port: Number(port), path, headers, body, awaited, cut };
}

serve({
  /** One call, with its response. */
  one: (options) => call(target(options)),

  /**
   * A number of calls with a given concurrency; each response must contain `ending`.
   * @returns ms of each call, and calls per second
   */
  async many({ count, atOnce, ending = '', ...options }) {
    const what = target(options);
    const calls = [];
    let begun = 0;
    const start = now();
    const lane = async () => {
      while (begun < count) {
        begun++;
        const { first, total, text } = await call(what);
        if (!text.includes(ending))
          throw new Error(`an answer did not end as it should: ${text.slice(-500)}`);
        calls.push({ first, total });
      }
    };
    await Promise.all(Array.from({ length: atOnce }, lane));
    return {
      first: calls.map(({ first }) => first),
      total: calls.map(({ total }) => total),
      perSecond: count / ((now() - start) / 1_000),
    };
  },

  /** Keeps a number of calls open until `rest`. Returns when that many responses have begun. */
  async keepGoing({ atOnce, ...options }) {
    const what = target(options);
    background = { stop: false };
    const own = background;
    const lane = async () => {
      while (!own.stop) await call(what);
    };
    const lanes = Array.from({ length: atOnce }, lane);
    own.rest = Promise.all(lanes);
    await new Promise((resolve) => setTimeout(resolve, 500));
  },

  async rest() {
    background.stop = true;
    await background.rest;
  },
});
