/** An error reply: `-NOAUTH Authentication required.` without its `-`. */
export class RespError {
  constructor(readonly message: string) {}
}

export type RespValue = string | number | null | RespError | RespValue[];

/** The peer sent bytes that are not RESP2, or more than a Redis sends. */
export class RespProtocolError extends Error {
  readonly code = 'RESP_PROTOCOL';

  /** @param speaksHttp whether its bytes begin as an answer of HTTP does */
  constructor(
    message: string,
    readonly speaksHttp = false,
  ) {
    super(message);
  }
}

/**
 * Bounds on one reply. Their product is not reachable: `elements` and `bytes` hold for a reply as a
 * whole.
 * @internal Exported for tests.
 */
export const RESP_BOUNDS = {
  depth: 3,
  /** Entries of one array. */
  array: 1_024,
  /** Values of a reply, nested ones included. */
  elements: 8_192,
  /** Bytes of one bulk string. */
  bulk: 1024 * 1024,
  /** Bytes of a simple string, an error, a number or a length. */
  line: 16_384,
  /** Bytes of a reply with its framing. */
  bytes: 2 * 1024 * 1024,
} as const;

const CR = 13;
const LF = 10;
const FIRST_CAPACITY = 4_096;

interface OpenArray {
  items: RespValue[];
  length: number;
}

/**
 * Reads replies of the Redis protocol, version 2
 * (https://redis.io/docs/latest/develop/reference/protocol-spec/): the five types of RESP2 and
 * nothing else. For hostile peers: each step is linear in the bytes received, and nothing is
 * allocated by a length that the peer only announces.
 */
export class RespReader {
  private bytes = Buffer.allocUnsafe(FIRST_CAPACITY);
  private end = 0;
  private at = 0;
  /** Where the search for the end of a line continues. */
  private searched = 0;
  /** Where the reply begins that is being read; below 0 once its first bytes have been dropped. */
  private start = 0;
  private elements = 0;
  private open: OpenArray[] = [];

  /** @throws RespProtocolError if a reply would exceed its bound */
  push(chunk: Uint8Array): void {
    if (this.end + chunk.length - this.start > RESP_BOUNDS.bytes)
      throw malformed(`a reply of more than ${RESP_BOUNDS.bytes} bytes`);
    if (this.end + chunk.length > this.bytes.length) this.makeRoom(chunk.length);
    this.bytes.set(chunk, this.end);
    this.end += chunk.length;
  }

  /**
   * Drops what has been read, and grows where that is little: each byte is moved a bounded number
   * of times.
   */
  private makeRoom(size: number): void {
    const unread = this.end - this.at;
    const target =
      this.at >= this.bytes.length / 2 && unread + size <= this.bytes.length
        ? this.bytes
        : Buffer.allocUnsafe(Math.max(unread + size, this.bytes.length * 2));
    this.bytes.copy(target, 0, this.at, this.end);
    this.bytes = target;
    this.searched = Math.max(0, this.searched - this.at);
    this.start -= this.at;
    this.end = unread;
    this.at = 0;
  }

  /** The next whole reply, or undefined until more bytes have come. @throws RespProtocolError */
  next(): RespValue | undefined {
    for (;;) {
      const value = this.value();
      if (value === undefined) return undefined;
      const whole = this.close(value);
      if (whole !== undefined) {
        this.forget();
        return whole;
      }
    }
  }

  /**
   * Puts a value into the innermost open array, and closes those that are full. The whole reply, if
   * that ends it.
   */
  private close(value: RespValue | OpenArray): RespValue | undefined {
    let done: RespValue;
    if (isOpenArray(value)) {
      if (value.length > 0) {
        this.open.push(value);
        return undefined;
      }
      done = value.items;
    } else done = value;
    for (;;) {
      const array = this.open.at(-1);
      if (!array) return done;
      array.items.push(done);
      if (array.items.length < array.length) return undefined;
      this.open.pop();
      done = array.items;
    }
  }

  /** One value, or an array that is to be filled; undefined where its bytes have not all come. */
  private value(): RespValue | OpenArray | undefined {
    const start = this.at;
    const line = this.line();
    if (line === undefined) return undefined;
    if ((this.elements += 1) > RESP_BOUNDS.elements)
      throw malformed(`a reply of more than ${RESP_BOUNDS.elements} values`);
    const rest = line.slice(1);
    switch (line[0]) {
      case '+':
        return rest;
      case '-':
        return new RespError(rest);
      case ':':
        return integer(rest);
      case '$': {
        const length = lengthOf(rest, RESP_BOUNDS.bulk, 'a string');
        if (length === -1) return null;
        if (this.end < this.at + length + 2) {
          // The line is read again when the string has come.
          this.at = start;
          this.elements -= 1;
          return undefined;
        }
        const text = this.bytes.toString('utf8', this.at, this.at + length);
        this.at += length;
        if (this.bytes[this.at] !== CR || this.bytes[this.at + 1] !== LF)
          throw malformed('a string that does not end where it said');
        this.at += 2;
        this.searched = this.at;
        return text;
      }
      case '*': {
        const length = lengthOf(rest, RESP_BOUNDS.array, 'an array');
        if (length === -1) return null;
        if (this.open.length === RESP_BOUNDS.depth)
          throw malformed(`arrays nested deeper than ${RESP_BOUNDS.depth}`);
        return { items: [], length };
      }
      default:
        throw malformed('bytes that are no reply');
    }
  }

  private line(): string | undefined {
    const first = this.bytes[this.at];
    if (this.at < this.end && !TYPES.has(first ?? 0)) {
      const begin = this.bytes.toString('latin1', this.at, Math.min(this.end, this.at + 5));
      throw new RespProtocolError('it sent bytes that are no reply', begin === 'HTTP/');
    }
    const from = Math.max(this.searched, this.at);
    const found = this.bytes.subarray(0, this.end).indexOf('\r\n', from, 'latin1');
    if (found === -1 || found - this.at > RESP_BOUNDS.line) {
      if (this.end - this.at > RESP_BOUNDS.line)
        throw malformed(`a line of more than ${RESP_BOUNDS.line} bytes`);
      this.searched = Math.max(this.at, this.end - 1);
      return undefined;
    }
    const line = this.bytes.toString('utf8', this.at, found);
    this.at = found + 2;
    // Where the string after it has not come yet, the line is found again at once.
    this.searched = found;
    return line;
  }

  /** Begins the next reply. */
  private forget(): void {
    this.start = this.at;
    this.elements = 0;
    this.open = [];
  }
}

/** A command as RESP2 sends it: an array of bulk strings. */
export function encodeCommand(words: readonly string[]): string {
  const parts = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`);
  return `*${words.length}\r\n${parts.join('')}`;
}

const TYPES = new Set([...'+-:$*'].map((type) => type.charCodeAt(0)));

const isOpenArray = (value: RespValue | OpenArray): value is OpenArray =>
  typeof value === 'object' && value !== null && 'items' in value;

const malformed = (what: string) => new RespProtocolError(`it sent ${what}`);

function integer(text: string): number {
  if (!/^[+-]?\d{1,19}$/.test(text)) throw malformed('a number that is none');
  return Number(text);
}

function lengthOf(text: string, most: number, what: string): number {
  const length = integer(text);
  if (length < -1) throw malformed('a negative length');
  if (length > most) throw malformed(`${what} of ${length} entries or bytes, more than ${most}`);
  return length;
}
