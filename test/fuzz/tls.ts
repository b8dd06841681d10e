import { createServer } from 'node:net';
import { createSecureContext, createServer as createTlsServer } from 'node:tls';
import fc from 'fast-check';
import { tlsCertificate } from '../../src/tools/tls-certificate/tls-certificate.js';
import { Loopback, nodeOf, testCertificate } from '../support/loopback.js';
import { type CertificateParts, certificateOf } from './der.js';
import { probe } from './probe.js';
import type { FuzzTarget } from './target.js';
import { anyText } from '../support/generators/any-text.js';

const text = fc.oneof(
  anyText({ maxLength: 80 }).map((each) => Buffer.from(each)),
  fc.uint8Array({ maxLength: 200 }),
  fc
    .constantFrom('localhost', '*.localhost', '"a", DNS:b', '\u0000', '*.'.repeat(100))
    .map((each) => Buffer.from(each)),
);
const time = fc.oneof(
  fc.constantFrom(
    '20200101000000Z',
    '21200101000000Z',
    '99991231235959Z',
    '00000101000000Z',
    '20201399000000Z',
    '',
  ),
  fc.string({ maxLength: 20 }),
);
const certificate: fc.Arbitrary<CertificateParts> = fc.record({
  commonName: text,
  nameTag: fc.constantFrom(12, 19, 22, 28, 30),
  from: time,
  to: time,
  names: fc.oneof(
    fc.array(fc.tuple(fc.constantFrom(0x82, 0x87, 0x81, 0x86), text), { maxLength: 20 }),
    fc
      .tuple(text, fc.nat(400))
      .map(([each, n]) => Array.from({ length: n }, (): [number, Uint8Array] => [0x82, each])),
  ),
  serial: fc.uint8Array({ maxLength: 20 }),
});
/** Bytes in the place of a handshake, mostly within what looks like a record of TLS. */
const noise = fc
  .tuple(fc.constantFrom(20, 21, 22, 23), fc.uint8Array({ maxLength: 2_000 }), fc.boolean())
  .map(([type, bytes, framed]) =>
    Buffer.from(framed ? [type, 3, 3, bytes.length >> 8, bytes.length & 255, ...bytes] : bytes),
  );

/** A TLS server with any certificate that OpenSSL itself can load, and one that sends noise. */
export const tlsTarget: FuzzTarget<CertificateParts | Buffer> = {
  name: 'certificates and handshakes',
  input: fc.oneof({ weight: 3, arbitrary: certificate }, noise),
  open: async () => {
    const { key, cert } = testCertificate('valid');
    const loopback = new Loopback();
    const server = createTlsServer({ key, cert });
    server.on('tlsClientError', () => undefined);
    const port = await loopback.open(server);
    let current: Uint8Array = new Uint8Array();
    const noisy = await loopback.open(
      createServer((socket) => socket.once('data', () => socket.end(current))),
    );
    const attributes = { timeoutMs: 1_000 };
    return {
      run: async (input) => {
        if (Buffer.isBuffer(input)) {
          current = input;
          await probe(tlsCertificate, nodeOf('tls', `localhost:${noisy}`, attributes));
          return;
        }
        const pem = certificateOf(input, key);
        try {
          createSecureContext({ key, cert: pem });
        } catch {
          return; // No server could show it.
        }
        server.setSecureContext({ key, cert: pem });
        await probe(tlsCertificate, nodeOf('tls', `localhost:${port}`, attributes));
      },
      close: () => loopback.close(),
    };
  },
};
