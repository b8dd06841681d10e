import { type ClientRequest, maxHeaderSize } from 'node:http';

/**
 * Maximum bytes until the end of the head of a response. Informational responses (1xx) before it
 * may take as many.
 * @internal Exported for tests.
 */
export const MOST_HEAD_BYTES = 2 * maxHeaderSize;

/**
 * Ends a request with an error if its response has no complete head within {@link MOST_HEAD_BYTES}.
 * Node's parser bounds each head, but neither the number of informational responses nor the empty
 * lines before a head. A request that Node only closes, because its response changes the protocol
 * (101), ends with an error, too.
 */
export function boundHead(outgoing: ClientRequest): ClientRequest {
  let left = MOST_HEAD_BYTES;
  const stop = () => (left = Infinity);
  let hasEnded = false;
  for (const end of ['response', 'error']) outgoing.once(end, () => (hasEnded = true));
  outgoing.once('close', () => {
    if (!hasEnded) outgoing.emit('error', new UnansweredError());
  });
  return outgoing.once('response', stop).once('socket', (socket) => {
    // Runs after the parser has read the same bytes.
    const count = (bytes: Buffer) => {
      left -= bytes.length;
      if (left < 0) outgoing.destroy(new HeadTooLargeError());
    };
    socket.on('data', count);
    // A connection that is kept alive has other requests later.
    const leave = () => socket.off('data', count);
    outgoing.once('response', leave).once('close', leave);
  });
}

class UnansweredError extends Error {
  /** Node's message for a connection that is closed before its response. */
  readonly code = 'ECONNRESET';

  constructor() {
    super('the connection was closed before it was answered');
  }
}

class HeadTooLargeError extends Error {
  /** Node's message for a single head that is too large. */
  readonly code = 'HPE_HEADER_OVERFLOW';

  constructor() {
    super(`its answer has no complete head within ${MOST_HEAD_BYTES / 1_024} KiB`);
  }
}
