import type { Sink } from '../../../src/streams/follower.js';

/** A client as the feed sees it. A test can stop its reading. */
export class TestSink implements Sink {
  ended = false;
  destroyed = false;
  /** The largest number of bytes that waited for it. */
  peak = 0;
  writes = 0;
  private readonly chunks: Buffer[] = [];
  private stalled = false;
  private waiting = 0;
  private drains: (() => void)[] = [];

  /** Frames written so far, without comments. */
  get text(): string {
    return Buffer.concat(this.chunks).toString().replaceAll(': ping\n\n', '');
  }

  get pings(): number {
    return Buffer.concat(this.chunks).toString().split(': ping\n\n').length - 1;
  }

  get last(): Buffer | undefined {
    return this.chunks.at(-1);
  }

  /** The chunks that it received. */
  get given(): readonly Buffer[] {
    return this.chunks;
  }

  get closed(): boolean {
    return this.ended || this.destroyed;
  }

  stall(): void {
    this.stalled = true;
  }

  /** Reads some bytes and stays slow. */
  sip(bytes: number): void {
    this.waiting = Math.max(0, this.waiting - bytes);
    if (this.waiting === 0) this.drain();
  }

  resume(): void {
    this.stalled = false;
    this.waiting = 0;
    this.drain();
  }

  write(bytes: Buffer): number {
    if (this.closed) throw new Error('written to a sink that is closed');
    this.chunks.push(bytes);
    this.writes++;
    if (this.stalled) this.waiting += bytes.length;
    this.peak = Math.max(this.peak, this.waiting);
    return bytes.length;
  }

  backlog(): number {
    return this.waiting;
  }

  queued(): number {
    return this.waiting;
  }

  onceDrained(callback: () => void): void {
    if (this.waiting === 0 || this.closed) setImmediate(callback);
    else this.drains.push(callback);
  }

  end(): void {
    this.ended = true;
  }

  destroy(): void {
    this.destroyed = true;
    this.drain();
  }

  private drain(): void {
    for (const drained of this.drains.splice(0)) drained();
  }
}
