import { printOfLast } from './frame-digest.js';

/** Frames that were published together: one append. */
export interface Batch {
  first: number;
  last: number;
  bytes: Buffer;
  sealed: boolean;
}

/** Some frames that follow on each other, as they go to a client. */
export interface Stretch {
  bytes: Buffer;
  last: number;
  /** Of the frame that is last. */
  print: string;
}

/** The frames after `after` in a batch that `after` cuts in two. A frame ends in an empty line, and no frame contains one. */
export function tailOf(batch: Batch, after: number): Buffer {
  let from = 0;
  for (let sequence = batch.first; sequence <= after; sequence++)
    from = batch.bytes.indexOf('\n\n', from) + 2;
  return batch.bytes.subarray(from);
}

/** Batches that are dropped before the array is made anew: a shift for each would cost O(n). */
const SLACK = 1_000;

/** The latest frames of a run, gapless, so that what is recent can be replayed without asking Redis. Bounded by frames and bytes. */
export class FrameRing {
  private batches: Batch[] = [];
  /** Index of the oldest batch that is still held. Those before it are empty. */
  private start = 0;
  private bytes = 0;
  /** The last answer of `after`: many who come at once get the same Buffer. */
  private answered: (Stretch & { after: number }) | undefined;

  constructor(
    private readonly maxFrames = 2_000,
    private readonly maxBytes: () => number = () => 2 ** 20,
  ) {}

  get last(): number {
    return this.batches.at(-1)?.last ?? 0;
  }

  /** Adds the next batch; one that does not follow on begins the ring anew. Amortised O(1). */
  push(batch: Batch): void {
    if (batch.first !== this.last + 1) this.clear();
    this.answered = undefined;
    this.batches.push(batch);
    this.bytes += batch.bytes.length;
    this.trim();
  }

  /** Keeps to the bounds, where they have become narrower. */
  trim(): void {
    const maxBytes = this.maxBytes();
    while (
      this.start < this.batches.length - 1 &&
      (this.bytes > maxBytes || this.last - this.at(this.start).first >= this.maxFrames)
    ) {
      const { last, bytes } = this.at(this.start);
      this.bytes -= bytes.length;
      this.batches[this.start++] = { first: last, last, bytes: EMPTY, sealed: false };
    }
    if (this.start <= SLACK) return;
    this.batches = this.batches.slice(this.start);
    this.start = 0;
  }

  clear(): void {
    this.batches = [];
    this.start = 0;
    this.bytes = 0;
    this.answered = undefined;
  }

  /** Whether another batch stands where this one should: then this is not the log that was heard before. */
  contradicts(batch: Batch): boolean {
    const held = this.batches
      .slice(this.start)
      .find(({ first, last }) => first <= batch.last && last >= batch.first);
    return held !== undefined && (held.first !== batch.first || !held.bytes.equals(batch.bytes));
  }

  /** Frames after a sequence, at most about `most` bytes; undefined where the ring does not reach back that far. O(log n) and the copy. */
  after(sequence: number, most = Infinity): Stretch | undefined {
    if (sequence >= this.last || sequence < this.at(this.start).first - 1) return undefined;
    if (this.answered?.after === sequence) return this.answered;
    let low = this.start;
    let high = this.batches.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.at(middle).last <= sequence) low = middle + 1;
      else high = middle;
    }
    const parts = [tailOf(this.at(low), sequence)];
    let size = (parts[0] as Buffer).length;
    let { last } = this.at(low);
    for (let i = low + 1; i < this.batches.length && size + this.at(i).bytes.length <= most; i++) {
      parts.push(this.at(i).bytes);
      size += this.at(i).bytes.length;
      last = this.at(i).last;
    }
    const bytes = Buffer.concat(parts, size);
    this.answered = { after: sequence, bytes, last, print: printOfLast(bytes) };
    return this.answered;
  }

  private at(index: number): Batch {
    return this.batches[index] as Batch;
  }
}

const EMPTY = Buffer.alloc(0);
