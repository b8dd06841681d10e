/** Frames that were published together: one append. */
export interface Batch {
  first: number;
  last: number;
  bytes: Buffer;
  sealed: boolean;
}

/** The frames after `after` in a batch that `after` cuts in two. A frame ends in an empty line, and no frame contains one. */
export function tailOf(batch: Batch, after: number): Buffer {
  let from = 0;
  for (let sequence = batch.first; sequence <= after; sequence++) from = batch.bytes.indexOf('\n\n', from) + 2;
  return batch.bytes.subarray(from);
}

/** The latest frames of a run, gapless, so that what is recent can be replayed without asking Redis. Bounded by frames and bytes. */
export class FrameRing {
  private batches: Batch[] = [];
  /** Index of the oldest batch that is still held; those before it are dropped in bulk, since a shift costs O(n). */
  private start = 0;
  private bytes = 0;

  constructor(
    private readonly maxFrames = 2_000,
    private readonly maxBytes = 2 ** 20,
  ) {}

  /** Adds the next batch; one that does not follow on begins the ring anew. Amortised O(1). */
  push(batch: Batch): void {
    if (batch.first !== this.last + 1) this.clear();
    this.batches.push(batch);
    this.bytes += batch.bytes.length;
    while (this.start < this.batches.length - 1 && (this.bytes > this.maxBytes || batch.last - this.at(this.start).first >= this.maxFrames))
      this.bytes -= this.at(this.start++).bytes.length;
    if (this.start > 1_000) {
      this.batches = this.batches.slice(this.start);
      this.start = 0;
    }
  }

  clear(): void {
    this.batches = [];
    this.start = 0;
    this.bytes = 0;
  }

  /** All frames after a sequence, or undefined where the ring does not reach back that far. O(log n) and the copy. */
  after(sequence: number): Buffer | undefined {
    if (sequence >= this.last || sequence < this.at(this.start).first - 1) return undefined;
    let low = this.start;
    let high = this.batches.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.at(middle).last <= sequence) low = middle + 1;
      else high = middle;
    }
    const rest = this.batches.slice(low + 1).map((batch) => batch.bytes);
    return Buffer.concat([tailOf(this.at(low), sequence), ...rest]);
  }

  private get last(): number {
    return this.batches.at(-1)?.last ?? 0;
  }

  private at(index: number): Batch {
    return this.batches[index] as Batch;
  }
}
