import { retry } from '../lib/async.js';
import { ConsiliumError } from '../domain/errors.js';
import type { LogPage } from '../event-log/log-port.js';
import { frameDigest } from './frame-digest.js';
import type { FrameRange } from './frame-ring.js';

/** Consecutive frames of a log. `complete`: they reach to where the log ended when it was read. */
export interface LogRange extends FrameRange {
  lastSequence: number;
  sealed: boolean;
  complete: boolean;
  /** Digest of the frame before them, if it still exists. */
  previousDigest: string | undefined;
}

const FEWEST = 16;
const MOST = 1_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

/**
 * Reads a log for followers that are behind, in pages of bounded size; the number of frames per
 * page is estimated from the pages before. Concurrent calls for one position share one read and one
 * Buffer.
 */
export class LogPager {
  private readonly reading = new Map<number, Promise<LogRange>>();
  private frames = FEWEST * 4;

  constructor(
    private readonly read: (after: number, limit: number) => Promise<LogPage>,
    private readonly mostBytes: number,
    /** Whether no caller waits any more. */
    private readonly abandoned: () => boolean,
  ) {}

  /**
   * Reads the frames after a sequence. Waits while Redis is unavailable.
   * @throws ConsiliumError RUN_EXPIRED, RUN_NOT_FOUND; the last error, once no caller waits any
   *   more
   */
  after(sequence: number): Promise<LogRange> {
    const known = this.reading.get(sequence);
    if (known) return known;
    const range = this.readWithRetry(sequence).finally(() => this.reading.delete(sequence));
    this.reading.set(sequence, range);
    return range;
  }

  private async readWithRetry(after: number): Promise<LogRange> {
    const page = await retry(() => this.read(after, this.frames), {
      firstMs: FIRST_PAUSE_MS,
      longestMs: LONGEST_PAUSE_MS,
      isFinal: (error) => error instanceof ConsiliumError || this.abandoned(),
    });
    return this.take(after, page);
  }

  private take(after: number, { before, frames, lastSequence, sealed }: LogPage): LogRange {
    let size = 0;
    let count = 0;
    for (const frame of frames) {
      if (count > 0 && size + frame.length > this.mostBytes) break;
      size += frame.length;
      count++;
    }
    if (count > 0)
      this.frames = Math.min(
        Math.max(Math.ceil((this.mostBytes * count) / size), FEWEST),
        MOST,
        this.frames * 4,
      );
    const last = after + count;
    const final = count > 0 ? frames[count - 1] : before;
    return {
      bytes: Buffer.concat(frames.slice(0, count), size),
      last,
      digest: final ? frameDigest(final) : '',
      lastSequence,
      sealed,
      complete: last === lastSequence,
      previousDigest: before && frameDigest(before),
    };
  }
}
