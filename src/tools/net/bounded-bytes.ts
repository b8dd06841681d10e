const FIRST_CAPACITY = 4_096;

/**
 * Bytes that come in pieces, up to a bound. One buffer that grows: a million pieces of a byte each
 * cost no more than a megabyte.
 */
export class BoundedBytes {
  private buffer = Buffer.allocUnsafe(0);
  private size = 0;

  constructor(private readonly most: number) {}

  /** @returns whether all of it fitted */
  push(chunk: Uint8Array): boolean {
    const kept = chunk.subarray(0, this.most - this.size);
    const size = this.size + kept.length;
    if (size > this.buffer.length) {
      const larger = Buffer.allocUnsafe(
        Math.min(this.most, Math.max(size, this.buffer.length * 2, FIRST_CAPACITY)),
      );
      this.buffer.copy(larger, 0, 0, this.size);
      this.buffer = larger;
    }
    this.buffer.set(kept, this.size);
    this.size = size;
    return kept.length === chunk.length;
  }

  /** The bytes received so far. */
  bytes(): Buffer {
    return this.buffer.subarray(0, this.size);
  }
}
