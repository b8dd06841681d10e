import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import fc from 'fast-check';
import { dnsLookup } from '../../src/tools/dns-lookup/dns-lookup.js';
import { nodeOf } from '../support/loopback.js';
import { probe } from './probe.js';
import type { FuzzTarget } from './target.js';

const TYPES = { A: 1, NS: 2, CNAME: 5, MX: 15, TXT: 16, AAAA: 28, SRV: 33 };

const record = fc
  .tuple(
    fc.constantFrom(...Object.values(TYPES), 0, 41, 255),
    fc.uint8Array({ maxLength: 300 }),
    // Its declared length, which is mostly right.
    fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, fc.nat(65_535)),
  )
  .map(([type, data, claimed]) => {
    const size = claimed ?? data.length;
    return Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, size >> 8, size & 255, ...data]);
  });

interface Answer {
  recordType: string;
  /** The low byte of the flags: RCODE, and bits that must be zero. */
  flags: number;
  /** Answers that the header announces; undefined: as many as there are. */
  announced: number | undefined;
  records: Buffer[];
  /** Bytes that are cut off, or replaced by noise. */
  cut: number;
  noise: Uint8Array;
}

const answer: fc.Arbitrary<Answer> = fc.record({
  recordType: fc.constantFrom(...Object.keys(TYPES)),
  flags: fc.oneof({ weight: 3, arbitrary: fc.constant(0x80) }, fc.nat(255)),
  announced: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, fc.nat(65_535)),
  records: fc.array(record, { maxLength: 30 }),
  cut: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(60)),
  noise: fc.oneof({ weight: 3, arbitrary: fc.constant(new Uint8Array()) }, fc.uint8Array()),
});

/** A name server that answers the question asked, and what it likes. */
export const dnsTarget: FuzzTarget<Answer> = {
  name: 'answers of a name server',
  input: answer,
  open: async () => {
    let current: Answer | undefined;
    const socket = createSocket('udp4', (query, { port, address }) => {
      if (!current) return;
      const { flags, announced, records, cut, noise } = current;
      const count = announced ?? records.length;
      const end = query.indexOf(0, 12) + 5;
      const whole = Buffer.concat([
        query.subarray(0, 2),
        Buffer.from([0x81, flags, 0, 1, count >> 8, count & 255, 0, 0, 0, 0]),
        query.subarray(12, end),
        ...records,
        noise,
      ]);
      socket.send(whole.subarray(0, Math.max(0, whole.length - cut)), port, address);
    });
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    const { port } = socket.address();
    return {
      run: async (input) => {
        current = input;
        const attributes = {
          server: `127.0.0.1:${port}`,
          recordType: input.recordType,
          timeoutMs: 100,
        };
        await probe(dnsLookup, nodeOf('dns', 'shop.example', attributes), port);
      },
      close: () => new Promise((resolve) => socket.close(() => resolve())),
    };
  },
};
