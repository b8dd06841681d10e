import type { Response } from 'express';
import type { Sink } from '../event-log/follower.js';

const RETRY = 'retry: 3000\n\n';

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
  res.write(RETRY);
  res.socket?.setNoDelay(true);
  return {
    write: (bytes) => {
      // Straight to the socket: past `OutgoingMessage`, which would look at every write again. Nothing to delimit, see above.
      if (res.socket) res.socket.write(bytes);
      else res.write(bytes);
    },
    backlog: () => res.socket?.writableLength ?? res.writableLength,
    onceDrained: (callback) => {
      const socket = res.socket;
      if (!socket || socket.destroyed || socket.writableLength === 0) return void setImmediate(callback);
      const once = () => {
        socket.off('drain', once);
        socket.off('close', once);
        callback();
      };
      socket.once('drain', once);
      socket.once('close', once);
    },
    end: () => res.end(),
    destroy: () => res.destroy(),
  };
}
