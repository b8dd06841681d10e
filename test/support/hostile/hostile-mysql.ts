import { createServer, type Server, type Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import { testCertificate } from '../loopback.js';
import { pour } from './pour.js';

/**
 * A message of a MySQL:
 * https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_basic_packets.html
 */
export function mysqlMessage(sequence: number, body: Buffer | string): Buffer {
  const bytes = Buffer.from(body);
  const head = Buffer.alloc(4);
  head.writeUIntLE(bytes.length, 0, 3);
  head[3] = sequence;
  return Buffer.concat([head, bytes]);
}

export const mysqlError = (sequence: number, code: number, message: string): Buffer => {
  const number = Buffer.alloc(2);
  number.writeUInt16LE(code);
  return mysqlMessage(
    sequence,
    Buffer.concat([Buffer.from([0xff]), number, Buffer.from(`#28000${message}`)]),
  );
};
export const mysqlOk = (sequence: number): Buffer =>
  mysqlMessage(sequence, Buffer.from([0, 0, 0, 2, 0, 0, 0]));
/** Asks for another way of sign-in. */
export const askSignIn = (plugin: string): Buffer =>
  mysqlMessage(2, Buffer.from(`\u00fe${plugin}\0${'s'.repeat(20)}\0`, 'latin1'));
export const askFullAuthentication: Buffer = mysqlMessage(4, Buffer.from([1, 4]));

const PROTOCOL_41 = 1 << 9;
const SSL = 1 << 11;
const SECURE_CONNECTION = 1 << 15;
const PLUGIN_AUTH = 1 << 19;

/** The first message of a server. */
export function mysqlGreeting(plugin = 'mysql_native_password', version = '8.4.0'): Buffer {
  const flags = (PROTOCOL_41 | SSL | SECURE_CONNECTION | PLUGIN_AUTH) >>> 0;
  const low = Buffer.alloc(2);
  const high = Buffer.alloc(2);
  low.writeUInt16LE(flags & 0xffff);
  high.writeUInt16LE(flags >>> 16);
  const parts = [
    Buffer.from([10]),
    Buffer.from(`${version}\0`),
    Buffer.from([1, 0, 0, 0]),
    Buffer.from('12345678\0'),
    low,
    Buffer.from([45, 2, 0]),
    high,
    Buffer.from([21]),
    Buffer.alloc(10),
    Buffer.from('abcdefghijkl\0'),
    Buffer.from(`${plugin}\0`),
  ];
  return mysqlMessage(0, Buffer.concat(parts));
}

interface Hostile {
  greeting?: Buffer;
  /**
   * Sent as the answers to the messages of a client, one for each. The last one answers all later
   * ones.
   */
  answers: readonly Buffer[];
  /** Sends the last answer without end. */
  endless?: boolean;
  /** Ends the connection after the last answer. */
  ends?: boolean;
}

/** Of a request for TLS, with its head. */
const TLS_REQUEST = 36;

/**
 * A server that sends these bytes, also over TLS if the client asks for it. `received` has what
 * clients sent after the sign-in's first message.
 */
export function hostileMysql({ greeting = mysqlGreeting(), answers, endless, ends }: Hostile) {
  let received = '';
  const talk = (socket: Socket) => {
    const left = [...answers];
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1');
      const answer = left.length > 1 ? left.shift() : left[0];
      if (answer === undefined) return;
      if (endless && left.length === 1) pour(socket, answer);
      else if (ends && left.length === 1) socket.end(answer);
      else socket.write(answer);
    });
  };
  const server: Server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.write(greeting);
    socket.once('data', (first) => {
      if (first.readUIntLE(0, 3) + 4 === TLS_REQUEST) {
        // The handshake may come in the same piece.
        socket.pause();
        socket.unshift(first.subarray(TLS_REQUEST));
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
