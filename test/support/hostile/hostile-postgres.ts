import { createServer, type Server, type Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import { testCertificate } from '../loopback.js';
import { pour } from './pour.js';

/**
 * A message of a PostgreSQL: https://www.postgresql.org/docs/current/protocol-message-formats.html
 */
export function pgMessage(type: string, body = Buffer.alloc(0)): Buffer {
  const head = Buffer.from(`${type}\0\0\0\0`);
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

export const pgAuthentication = (kind: number, salt = '') =>
  pgMessage('R', Buffer.concat([Buffer.from([0, 0, 0, kind]), Buffer.from(salt)]));
export const signedIn = Buffer.concat([pgAuthentication(0), pgMessage('Z', Buffer.from('I'))]);
export const askCleartext = pgAuthentication(3);
export const askMd5 = pgAuthentication(5, 'salt');
export const askScram = pgAuthentication(10, 'SCRAM-SHA-256\0\0');

const REQUEST_LENGTH = 8;

interface Hostile {
  /** Sent as the answer to the first message of a client. */
  greeting: Buffer;
  /** Sent as the answer to each later message. */
  answer?: Buffer;
  /** Sends the answer without end. */
  endless?: boolean;
  /** Ends the connection after the last of these bytes. */
  ends?: boolean;
}

/**
 * A server that sends these bytes, also over TLS if the client asks for it. `received` has what
 * clients sent after their first message.
 */
export function hostilePostgres({ greeting, answer, endless = false, ends = false }: Hostile) {
  let received = '';
  const talk = (socket: Socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write(greeting);
      if (ends && answer === undefined) socket.end();
      socket.on('data', (bytes) => {
        received += bytes.toString('latin1');
        if (answer === undefined) return;
        if (endless) pour(socket, answer);
        else if (ends) socket.end(answer);
        else socket.write(answer);
      });
    });
  };
  const server: Server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (first) => {
      if (first.length === REQUEST_LENGTH) {
        socket.write('S');
        const secureContext = createSecureContext(testCertificate('valid'));
        talk(new TLSSocket(socket, { isServer: true, secureContext }));
      } else {
        talk(socket);
        socket.emit('data', first);
      }
    });
  });
  return { server, received: () => received };
}
