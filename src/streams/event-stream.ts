import type { Socket } from 'node:net';
import type { Response } from 'express';
import type { Sink } from './follower.js';

const RETRY = 'retry: 3000\n\n';
const NOTHING = Buffer.alloc(0);
const PING = ': ping\n\n';
/** ms after which a client that has ended its sending half is written to: the second write fails where it has gone. */
const PROBES = [0, 20, 1_000];

/** Node's own timeout of sockets looks here, too: bytes of the write under way that the kernel has not taken. */
type LibuvSocket = Socket & { _handle?: { writeQueueSize?: number } };

/**
 * Begins an event stream on a response and gives the sink to feed it with.
 *
 * The response is close-delimited (no `Transfer-Encoding`), so that the same bytes are right for HTTP/1.0 and 1.1 and a
 * frame goes to the socket as it is, without a chunk header of its own.
 * @param headers beside those of contract section 2
 */
export function beginEventStream(res: Response, headers: Record<string, string>): Sink {
  res.useChunkedEncodingByDefault = false;
  res.shouldKeepAlive = false;
  res.writeHead(200, {
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-cache, no-transform',
    'X-Accel-Buffering': 'no',
    ...headers,
  });
  // Everything after the headers would be a body, also what goes past `res`.
  if (res.req.method === 'HEAD') res.end();
  else res.write(RETRY);
  res.socket?.setNoDelay(true);
  res.socket?.once('end', () => probe(res));
  const socketOf = () => (res.socket && !res.socket.destroyed ? (res.socket as LibuvSocket) : null);
  return {
    write: (bytes) => {
      if (res.writableEnded) return 0;
      // Straight to the socket: past `OutgoingMessage`, which would look at every write again. Nothing to delimit, see above.
      if (res.socket) res.socket.write(bytes);
      else res.write(bytes);
      return bytes.length;
    },
    backlog: () => res.socket?.writableLength ?? res.writableLength,
    queued: () => socketOf()?._handle?.writeQueueSize ?? 0,
    onceDrained: (callback) => {
      if (res.closed || res.destroyed) return void setImmediate(callback);
      let called = false;
      const once = () => {
        if (called) return;
        called = true;
        res.off('drain', once);
        res.off('close', once);
        callback();
      };
      res.once('close', once);
      // An empty write is done when all before it are; `drain` comes only where a write was told to wait. Without a socket the
      // request waits for one before it on its connection to be answered.
      const socket = socketOf();
      if (socket) socket.write(NOTHING, once);
      else res.once('drain', once);
    },
    end: () => res.end(),
    destroy: () => res.destroy(),
  };
}

/**
 * A client that ends its sending half looks like one that has closed its connection. A comment tells them apart: one that has
 * closed answers it with a reset, and the next write fails; any other reads on. Heartbeats follow.
 */
function probe(res: Response): void {
  const timers = PROBES.map((ms) => setTimeout(() => res.socket?.write(PING), ms));
  res.once('close', () => timers.forEach(clearTimeout));
}
