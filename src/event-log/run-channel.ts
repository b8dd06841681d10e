import type { Follower, Sink } from './follower.js';
import { FrameRing, tailOf, type Batch } from './frame-ring.js';
import type { Page } from './event-log.js';

export interface ChannelOptions {
  /** Bytes that a follower may hold unsent before the node stops pushing to it. */
  followerBufferBytes: number;
  /** ms after which a follower that takes nothing is cut. */
  followerStuckMs: number;
  read(after: number, limit: number): Promise<Page>;
  /** The log could not be read: the followers were closed, so that their clients come back. */
  onError(error: unknown): void;
  /** The last follower has left. */
  onEmpty(): void;
}

const PAGE_FRAMES = 500;

/**
 * The followers of one run on this node. What is heard on the subscription is a hint: it is passed on as it came where it
 * follows on from a follower's cursor, and read from the log where it does not. So history and live are one cursor, and
 * the only way to move it is to write the frames in between.
 */
export class RunChannel {
  private readonly followers = new Set<Follower>();
  private readonly ring = new FrameRing();
  private pending: Batch[] = [];
  /** The last sequence heard. A follower that has just read the log may be ahead of it. */
  private heard = 0;
  /** The sequence of the terminal event, once it is known. */
  private end = Infinity;

  constructor(private readonly options: ChannelOptions) {}

  get size(): number {
    return this.followers.size;
  }

  /** The subscription must be in place: what is appended from now on is heard. */
  follow(sink: Sink, after: number, closed: () => void): Follower {
    const follower: Follower = { sink, cursor: after, mode: 'behind', wroteAt: performance.now(), closed };
    this.followers.add(follower);
    // Not before the caller has it: a log that has ended may end the follower at once.
    queueMicrotask(() => void this.catchUp(follower));
    return follower;
  }

  leave(follower: Follower): void {
    if (follower.mode === 'closed') return;
    follower.mode = 'closed';
    this.followers.delete(follower);
    follower.closed();
    if (this.followers.size === 0) this.options.onEmpty();
  }

  /** What one append published. Heard twice, late or not at all: all harmless. */
  hear(batch: Batch): void {
    if (batch.last <= this.heard) return;
    const fresh = batch.first <= this.heard ? { ...batch, first: this.heard + 1, bytes: tailOf(batch, this.heard) } : batch;
    this.ring.push(fresh);
    this.heard = fresh.last;
    if (fresh.sealed) this.end = fresh.last;
    // One write for each follower and turn of the event loop, however many appends came in.
    if (this.pending.push(fresh) === 1) setImmediate(() => this.flush());
  }

  /** What the log says of its end: whoever missed something reads it. Decision 7. */
  compare(lastSequence: number, sealed: boolean): void {
    if (sealed) this.end = lastSequence;
    if (lastSequence > this.heard) {
      this.heard = lastSequence;
      this.ring.clear();
      this.pending = [];
    }
    for (const follower of this.followers) if (follower.mode === 'live') this.settle(follower);
  }

  /** Ends every follower at a frame boundary. */
  close(): void {
    this.flush();
    for (const follower of [...this.followers]) {
      follower.sink.end();
      this.leave(follower);
    }
  }

  private flush(): void {
    const [head] = this.pending;
    if (!head) return;
    // A gap in what was heard: only the part after it can be passed on, and only to whoever has read up to it.
    let from = 0;
    this.pending.forEach((batch, i) => {
      if (i > 0 && batch.first !== (this.pending[i - 1] as Batch).last + 1) from = i;
    });
    const batches = this.pending.slice(from);
    this.pending = [];
    const [first] = batches;
    if (!first) return;
    const last = (batches.at(-1) as Batch).last;
    const bytes = batches.length === 1 ? first.bytes : Buffer.concat(batches.map((batch) => batch.bytes));
    for (const follower of this.followers) {
      if (follower.mode !== 'live') continue;
      if (follower.cursor === first.first - 1) this.write(follower, bytes, last);
      this.settle(follower);
    }
  }

  private write(follower: Follower, bytes: Buffer, last: number): void {
    follower.sink.write(bytes);
    follower.cursor = last;
    follower.wroteAt = performance.now();
  }

  /** Decides what a live follower is now: still live, behind, or at the end of a sealed log. */
  private settle(follower: Follower): void {
    if (follower.cursor < this.heard || follower.sink.backlog() > this.options.followerBufferBytes) {
      follower.mode = 'behind';
      void this.catchUp(follower);
    } else if (follower.cursor >= this.end) {
      follower.sink.end();
      this.leave(follower);
    }
  }

  private async catchUp(follower: Follower): Promise<void> {
    try {
      while (follower.mode === 'behind') {
        if (follower.sink.backlog() > this.options.followerBufferBytes && !(await this.drained(follower))) return;
        if (follower.mode !== 'behind') return;
        let last = this.heard;
        const recent = this.ring.after(follower.cursor);
        if (recent) {
          this.write(follower, recent, last);
        } else {
          const page = await this.options.read(follower.cursor, PAGE_FRAMES);
          if (follower.mode !== 'behind') return;
          if (page.frames.length > 0) this.write(follower, Buffer.concat(page.frames), follower.cursor + page.frames.length);
          if (page.sealed) this.end = page.lastSequence;
          last = Math.max(this.heard, page.lastSequence);
        }
        if (follower.cursor >= last && follower.sink.backlog() <= this.options.followerBufferBytes) {
          follower.mode = 'live';
          this.settle(follower);
        }
      }
    } catch (error) {
      this.options.onError(error);
      follower.sink.end();
      this.leave(follower);
    }
  }

  /** Waits for a slow follower. False: it took nothing for too long, and was cut. */
  private async drained(follower: Follower): Promise<boolean> {
    const drained = await new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), this.options.followerStuckMs);
      follower.sink.onceDrained(() => {
        clearTimeout(timer);
        resolve(true);
      });
    });
    if (!drained) {
      follower.sink.destroy();
      this.leave(follower);
    }
    return drained;
  }
}
