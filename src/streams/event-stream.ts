import type { Socket } from 'node:net';
import type { Response } from 'express';
import type { Sink } from './follower.js';

const RETRY = 'retry: 3000\n\n';
const NOTHING = Buffer.alloc(0);
const PING = ': ping\n\n';
/**
 * Delays in ms of the writes to a client that has ended its sending half. The second write fails if
 * the client has gone.
 */
const PROBES = [0, 20, 1_000];

/**
 * Bytes of the current write that the kernel has not taken. Node's own socket timeout reads this
 * field, too.
 */
type LibuvSocket = Socket & { _handle?: { writeQueueSize?: number } };

/**
 * Starts an event stream on a response.
 * @returns its sink
 *
 * The end of the connection delimits the response (no `Transfer-Encoding`). The same bytes are then
 * valid for HTTP/1.0 and 1.1, and a frame is written to the socket without a chunk header.
 * @param headers in addition to those of contract section 2
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
  // Everything after the headers would count as a body, including writes that bypass `res`.
  if (res.req.method === 'HEAD') res.end();
  else res.write(RETRY);
  res.socket?.setNoDelay(true);
  res.socket?.once('end', () => probe(res));
  const socketOf = () => (res.socket && !res.socket.destroyed ? (res.socket as LibuvSocket) : null);
  return {
    write: (bytes) => {
      if (res.writableEnded) return 0;
      // Written to the socket directly, because `OutgoingMessage` would process every write again.
      // See above: nothing is delimited.
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
      // An empty write completes after all earlier ones; `drain` is only emitted after a write
      // returned false. Without a socket, the request waits for an earlier one of its connection.
      const socket = socketOf();
      if (socket) socket.write(NOTHING, once);
      else res.once('drain', once);
    },
    end: () => res.end(),
    destroy: () => res.destroy(),
  };
}

/**
 * Detects clients that have gone. A client that ended its sending half looks like one that closed
 * its connection. If it has closed it, it answers a comment with a reset, and the next write fails.
 * Heartbeats follow.
 */
function probe(res: Response): void {
  const timers = PROBES.map((ms) => setTimeout(() => res.socket?.write(PING), ms));
  res.once('close', () => timers.forEach(clearTimeout));
}
