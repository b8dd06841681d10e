import { setTimeout as sleep } from 'node:timers/promises';
import { ConsiliumError } from '../domain/errors.js';
import type { Page } from '../event-log/log-port.js';
import { printOf } from './frame-digest.js';
import type { Stretch } from './frame-ring.js';

/** A stretch of a log, and what is known of the whole. `complete`: it reaches to where the log ended when it was read. */
export interface LogStretch extends Stretch {
  lastSequence: number;
  sealed: boolean;
  complete: boolean;
  /** Print of the frame before it, where that is kept. */
  follows: string | undefined;
}

const [FEWEST, MOST] = [16, 1_000];
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [50, 1_000];

/**
 * Reads a log for those who are behind, a bounded number of bytes at a time: how many frames that is follows from those read
 * before. Callers that ask for the same at the same time share one read and one Buffer.
 */
export class LogPager {
  private readonly reading = new Map<number, Promise<LogStretch>>();
  private frames = FEWEST * 4;

  constructor(
    private readonly read: (after: number, limit: number) => Promise<Page>,
    private readonly mostBytes: number,
    /** No caller waits any more. */
    private readonly abandoned: () => boolean,
  ) {}

  /**
   * What follows on a sequence. While Redis is away, it waits for it: an open stream is not the worse for it.
   * @throws ConsiliumError RUN_EXPIRED, RUN_NOT_FOUND; whatever it was that went wrong last, when it is abandoned
   */
  after(sequence: number): Promise<LogStretch> {
    const known = this.reading.get(sequence);
    if (known) return known;
    const stretch = this.insist(sequence).finally(() => this.reading.delete(sequence));
    this.reading.set(sequence, stretch);
    return stretch;
  }

  private async insist(after: number): Promise<LogStretch> {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      try {
        return this.take(after, await this.read(after, this.frames));
      } catch (error) {
        if (error instanceof ConsiliumError || this.abandoned()) throw error;
        await sleep(pause, undefined, { ref: false });
      }
    }
  }

  private take(after: number, { before, frames, lastSequence, sealed }: Page): LogStretch {
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
      print: final ? printOf(final) : '',
      lastSequence,
      sealed,
      complete: last === lastSequence,
      follows: before && printOf(before),
    };
  }
}
