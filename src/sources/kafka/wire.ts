import { SourceError } from '../http/source-error.js';

/** Maximum bytes that a broker may send over a connection. */
export const MOST_BYTES = 4 * 2 ** 20;
/** Maximum entries of all lists of an answer. */
const MOST_ENTRIES = 50_000;

/** The peer's bytes do not follow the protocol of Kafka. */
export class NotKafkaError extends SourceError {}
export const notKafka = (why: string): NotKafkaError =>
  new NotKafkaError('failed', `the server does not use the Kafka protocol: ${why}`);

/** The types of request fields: https://kafka.apache.org/protocol#protocol_types */
export const int8 = (value: number): Buffer => Buffer.from([value & 255]);
export function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}
export function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}
export function int64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(BigInt(value));
  return bytes;
}
export function string(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([int16(bytes.length), bytes]);
}
export const bytesOf = (bytes: Buffer): Buffer => Buffer.concat([int32(bytes.length), bytes]);
export const list = (entries: readonly Buffer[]): Buffer =>
  Buffer.concat([int32(entries.length), ...entries]);
/** A list that is null: all topics. */
export const NO_LIST = int32(-1);

/**
 * Reads the body of an answer. Each method throws a SourceError `failed` if the bytes do not
 * contain what it reads.
 */
export class KafkaReader {
  #at = 0;
  #entries = 0;

  constructor(private readonly bytes: Buffer) {}

  int8(): number {
    return this.bytes.readInt8(this.#skip(1));
  }
  int16(): number {
    return this.bytes.readInt16BE(this.#skip(2));
  }
  int32(): number {
    return this.bytes.readInt32BE(this.#skip(4));
  }
  /** Above 2^53 the nearest number. */
  int64(): number {
    return Number(this.bytes.readBigInt64BE(this.#skip(8)));
  }
  string(): string {
    const text = this.nullableString();
    if (text === undefined) throw notKafka('a text is null');
    return text;
  }
  nullableString(): string | undefined {
    const length = this.int16();
    if (length === -1) return undefined;
    const from = this.#skip(length);
    return this.bytes.toString('utf8', from, from + length);
  }
  /** The bytes themselves, no copy. */
  bytesField(): Buffer {
    const length = this.int32();
    if (length === -1) return Buffer.alloc(0);
    const from = this.#skip(length);
    return this.bytes.subarray(from, from + length);
  }
  /** A list that is null is empty. */
  list<Entry>(read: () => Entry): Entry[] {
    const entries: Entry[] = [];
    for (let left = this.#length(1); left > 0; left -= 1) entries.push(read());
    return entries;
  }
  /** Of a list of 32-bit numbers, which are not kept. */
  lengthOfNumbers(): number {
    const length = this.#length(4);
    this.#skip(4 * length);
    return length;
  }

  #length(leastBytes: number): number {
    const length = this.int32();
    if (length === -1) return 0;
    if (length < -1 || length * leastBytes > this.bytes.length - this.#at)
      throw notKafka(`a list of ${length} entries does not fit into its answer`);
    if (leastBytes === 1) this.#entries += length;
    if (this.#entries > MOST_ENTRIES)
      throw new SourceError('failed', `its answer has more than ${MOST_ENTRIES} entries`);
    return length;
  }

  /** @returns where the skipped bytes begin */
  #skip(length: number): number {
    const from = this.#at;
    if (length < 0 || length > this.bytes.length - from) throw notKafka('an answer is cut');
    this.#at += length;
    return from;
  }
}
