import { connect, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { amongAddresses, type HostAddress } from '../../lib/http/among-addresses.js';

interface WatchedTarget {
  host: string;
  port: number;
  /** What a certificate is compared with. */
  name: string;
  addresses: readonly HostAddress[];
}

interface Watch {
  /** Which of the first bytes are allowed: called with at least {@link HEAD}, once. */
  isKnown: (head: Buffer) => boolean;
  /** Bytes that the peer may send. */
  most: number;
  /** Destroys the stream if the peer violates the limits. */
  wrong: (why: string) => Error;
}

const HEAD = 5;

/** A connection whose bytes are checked before anything parses or decrypts them. */
export class WatchedSocket extends Duplex {
  /**
   * The name with which `tls` compares a certificate if it sends no name: that of an address, which
   * SNI cannot carry.
   */
  readonly _host: string;
  readonly #socket: Socket;
  readonly #watch: Watch;
  #head = Buffer.alloc(0);
  #read = 0;

  constructor({ host, port, name, addresses }: WatchedTarget, watch: Watch) {
    super();
    this._host = name;
    this.#watch = watch;
    this.#socket = connect({ host, port, noDelay: true, ...amongAddresses(host, addresses) })
      .on('connect', () => this.emit('connect'))
      .on('data', (bytes) => this.#look(bytes))
      .on('end', () => this.push(null))
      .on('error', (error) => this.destroy(error))
      .on('close', () => this.destroy());
  }

  #look(bytes: Buffer): void {
    const { isKnown, most, wrong } = this.#watch;
    this.#read += bytes.length;
    if (this.#head.length < HEAD) {
      this.#head = Buffer.concat([this.#head, bytes.subarray(0, HEAD - this.#head.length)]);
      if (this.#head.length === HEAD && !isKnown(this.#head)) {
        this.destroy(wrong('it begins with no message of its kind'));
        return;
      }
    }
    if (this.#read > most) this.destroy(wrong(`it sent more than ${most} bytes`));
    else if (!this.push(bytes)) this.#socket.pause();
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(bytes: Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(bytes, done);
  }

  override _final(done: () => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#socket.destroy();
    // After the stream above has reported what went wrong: a listener takes the end of this one for
    // the cause.
    setImmediate(done, error);
  }
}
