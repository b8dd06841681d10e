import { createServer, type Server } from 'node:net';

/** What may come before the head of an answer, by its name. */
export const BEFORE_HEAD: readonly [name: string, piece: string][] = [
  ['100 Continue', 'HTTP/1.1 100 Continue\r\n\r\n'],
  ['103 Early Hints', 'HTTP/1.1 103 Early Hints\r\nlink: </a>; rel=preload\r\n\r\n'],
  ['empty lines', '\r\n'],
];

/** The head of an answer that ends HTTP on the connection. */
export const SWITCHED =
  'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n';

/** A server of raw bytes that writes a piece again and again, as fast as it is read. */
export function endlessServer(piece: string | Buffer, start: string | Buffer = ''): Server {
  const bytes = Buffer.concat(Array<Buffer>(1_000).fill(Buffer.from(piece)));
  return createServer((socket) => {
    const more = () => {
      while (!socket.destroyed && socket.write(bytes));
    };
    socket.once('data', () => {
      socket.write(start);
      socket.on('drain', more);
      more();
    });
  });
}
