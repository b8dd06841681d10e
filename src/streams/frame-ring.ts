import { lastFrameDigest } from './frame-digest.js';

/** Frames of one append, published together. */
export interface Batch {
  first: number;
  last: number;
  bytes: Buffer;
  sealed: boolean;
}

/** Consecutive frames, as sent to a client. */
export interface FrameRange {
  bytes: Buffer;
  last: number;
  /** Digest of the last frame. */
  digest: string;
}

/**
 * The frames of a batch after the sequence `after`. A frame ends in an empty line and contains no
 * other.
 */
export function tailOf(batch: Batch, after: number): Buffer {
  let from = 0;
  for (let sequence = batch.first; sequence <= after; sequence++)
    from = batch.bytes.indexOf('\n\n', from) + 2;
  return batch.bytes.subarray(from);
}

/**
 * Joins the consecutive batches at the end of a list. Batches before a gap are left out: only
 * followers that have read up to the gap can be sent the rest.
 */
export function mergeBatches(
  batches: readonly Batch[],
): (FrameRange & { first: number }) | undefined {
  const from = batches.findLastIndex(
    (batch, i) => i === 0 || batch.first !== (batches[i - 1] as Batch).last + 1,
  );
  const [first, ...rest] = batches.slice(Math.max(from, 0));
  if (!first) return undefined;
  const bytes =
    rest.length === 0 ? first.bytes : Buffer.concat([first, ...rest].map((batch) => batch.bytes));
  return {
    first: first.first,
    bytes,
    last: (rest.at(-1) ?? first).last,
    digest: lastFrameDigest(bytes),
  };
}

/** Dropped batches before the array is copied: one shift per batch would cost O(n). */
const SLACK = 1_000;

/**
 * The latest frames of a run, without gaps, so that recent ones are read without Redis. Bounded by
 * frames and bytes.
 */
export class FrameRing {
  private batches: Batch[] = [];
  /** Index of the oldest batch in memory. Earlier ones are empty. */
  private start = 0;
  private bytes = 0;
  /** The last result of `after`: followers that ask for the same frames get the same Buffer. */
  private answered: (FrameRange & { after: number }) | undefined;

  constructor(
    private readonly maxFrames = 2_000,
    private readonly maxBytes: () => number = () => 2 ** 20,
  ) {}

  get last(): number {
    return this.batches.at(-1)?.last ?? 0;
  }

  /**
   * Adds the next batch. A batch that does not continue the last one empties the ring first.
   * Amortised O(1).
   */
  push(batch: Batch): void {
    if (batch.first !== this.last + 1) this.clear();
    this.answered = undefined;
    this.batches.push(batch);
    this.bytes += batch.bytes.length;
    this.trim();
  }

  /** Drops batches until the bounds are met, after they became narrower. */
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

  /**
   * Whether the ring has another batch with these sequences: then the log lost events and was
   * continued.
   */
  contradicts(batch: Batch): boolean {
    const held = this.batches
      .slice(this.start)
      .find(({ first, last }) => first <= batch.last && last >= batch.first);
    return held !== undefined && (held.first !== batch.first || !held.bytes.equals(batch.bytes));
  }

  /**
   * Frames after a sequence, about `most` bytes; undefined if the ring begins later. O(log n) and
   * one copy.
   */
  after(sequence: number, most = Infinity): FrameRange | undefined {
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
    this.answered = { after: sequence, bytes, last, digest: lastFrameDigest(bytes) };
    return this.answered;
  }

  private at(index: number): Batch {
    return this.batches[index] as Batch;
  }
}

const EMPTY = Buffer.alloc(0);
