import type { Socket } from 'node:net';

/** Writes bytes repeatedly, as fast as the peer reads them. */
export function pour(socket: Socket, bytes: Buffer): void {
  const more = () => {
    while (socket.writable && socket.write(bytes));
  };
  socket.on('drain', more);
  more();
}
