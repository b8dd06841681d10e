import type { Socket } from 'node:net';
import { encodeCommand, RespError, RespProtocolError, RespReader, type RespValue } from './resp.js';

/** Redis answered a command with an error: `NOPERM …`. */
export class RespRefusal extends Error {}

/**
 * Commands to a Redis over a connection that the caller has opened and will destroy, one at a time.
 * It sends nothing by itself, and reads only as much as {@link RespReader} accepts.
 */
export class RespConnection {
  private readonly reader = new RespReader();
  private broken: unknown;
  private waiting: {
    resolve: (value: RespValue) => void;
    reject: (error: unknown) => void;
  } | null = null;

  constructor(private readonly socket: Socket) {
    socket.on('data', (chunk: Buffer) => this.receive(chunk));
    socket.on('error', (error) => this.fail(error));
    socket.on('close', () => this.fail(Object.assign(new Error('closed'), { code: 'ECONNRESET' })));
  }

  /**
   * @throws RespRefusal; RespProtocolError; errors of the connection, `ECONNRESET` if the peer
   *   closed it
   */
  async call(...words: string[]): Promise<Exclude<RespValue, RespError>> {
    const reply = await new Promise<RespValue>((resolve, reject) => {
      this.waiting = { resolve, reject };
      // An answer may exist already: a Redis without room for a client refuses it before any
      // command.
      this.deliver();
      if (this.waiting && !this.socket.writableEnded) this.socket.write(encodeCommand(words));
    });
    if (reply instanceof RespError) throw new RespRefusal(reply.message);
    return reply;
  }

  private receive(chunk: Buffer): void {
    if (this.broken !== undefined) return;
    try {
      this.reader.push(chunk);
    } catch (error) {
      this.fail(error);
    }
    this.deliver();
  }

  private deliver(): void {
    if (!this.waiting) return;
    try {
      const reply = this.reader.next();
      if (reply !== undefined) {
        const { resolve } = this.waiting;
        this.waiting = null;
        resolve(reply);
      } else if (this.broken !== undefined) this.fail(this.broken);
    } catch (error) {
      this.fail(error);
    }
  }

  private fail(error: unknown): void {
    this.broken ??= error;
    if (error instanceof RespProtocolError) this.socket.pause();
    this.waiting?.reject(this.broken);
    this.waiting = null;
  }
}
