import { Follower, type Sink } from './follower.js';
import { FrameRing, tailOf, type Batch, type Stretch } from './frame-ring.js';
import { LogPager } from './log-pager.js';
import type { Page, Tail } from '../event-log/log-port.js';
import { printOf, printOfLast } from './frame-digest.js';

/** A run that was written out so lately is hot: what comes is gathered for so long, which saves more than it delays. */
export const WINDOW_MS = 3;

export interface ChannelOptions {
  /** Bytes that a follower may hold unsent before the node stops pushing to it. */
  followerBufferBytes: number;
  /** Bytes of recent frames that are kept now. */
  ringBytes(): number;
  read(after: number, limit: number): Promise<Page>;
  /** The log cannot be read, now or ever: followers were closed, so that their clients come back and are told why. */
  onError(error: unknown): void;
  /** The log has lost what was seen up to a sequence. Resolves when that is recorded: until then no client is asked to reconnect. */
  onLost(seen: number): Promise<void>;
  /** The last follower has left. */
  onEmpty(): void;
}

/** What the log is to be compared with: where it must reach at least, and a frame that it must have. */
export interface Known {
  sequence: number;
  frame: Seen | undefined;
  /** The subscription that was in place when this was asked. */
  subscription: number | undefined;
}

/** A frame that was given to followers. */
interface Seen {
  sequence: number;
  print: string;
}

/**
 * The followers of one run on this node. What is heard on the subscription is a hint: it is passed on as it came where it
 * follows on from a follower's cursor, and read from the log where it does not. So history and live are one cursor, and
 * the only way to move it is to write the frames in between. They must follow on the frame at the cursor, and not only on its
 * number: a failover may have put another history in its place, and then all followers are ended.
 */
export class RunChannel {
  private readonly followers = new Set<Follower>();
  private readonly ring: FrameRing;
  private readonly pager: LogPager;
  private pending: Batch[] = [];
  /** The last sequence heard. */
  private heard = 0;
  /** The last sequence that is known to be in the log, from any source. */
  private known = 0;
  /** The sequence of the terminal event, once it is known. */
  private end = Infinity;
  /** The latest frame that was given to a follower. */
  private seen: Seen | undefined;
  /**
   * Up to here nothing need have been heard. Undefined: the subscription is not in place, or it is not known yet whether what
   * it brings is of the history that we know.
   */
  private vouched: number | undefined;
  private subscription: number | undefined;
  private subscriptions = 0;
  private broken = false;
  /** ms, monotonic. */
  private flushedAt = 0;

  constructor(private readonly options: ChannelOptions) {
    this.ring = new FrameRing(undefined, () => options.ringBytes());
    this.pager = new LogPager(
      (after, limit) => options.read(after, limit),
      options.followerBufferBytes,
      () => this.followers.size === 0,
    );
  }

  get size(): number {
    return this.followers.size;
  }

  /** What must be in the log, if it is the log that we know. */
  get lastKnown(): Known {
    return { sequence: this.known, frame: this.seen, subscription: this.subscription };
  }

  /** It has lost its log: a new follower must reconnect. */
  get isLost(): boolean {
    return this.broken;
  }

  /** The subscription is in place. What it brings is passed on once the log has been compared. */
  subscribed(): void {
    this.subscription ??= ++this.subscriptions;
  }

  /** The subscription is gone. What the next one brings may come from another server. */
  interrupted(): void {
    this.subscription = this.vouched = undefined;
  }

  /** Whether this was published, as far as we are concerned, and has not been heard. */
  missed(sequence: number): boolean {
    return this.vouched !== undefined && sequence > Math.max(this.heard, this.vouched);
  }

  /** What was published is missed until the subscription is in place, and found by the first `compare` after that. */
  follow(sink: Sink, after: number, closed: () => void): Follower {
    const follower = new Follower(sink, after, closed);
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
    if (this.broken) return;
    if (this.vouched === undefined) return this.hint(batch.last);
    if (batch.first <= this.heard && this.ring.contradicts(batch))
      return this.lost('a failover has lost the end of the log');
    if (batch.last <= this.heard) return;
    const fresh =
      batch.first <= this.heard
        ? { ...batch, first: this.heard + 1, bytes: tailOf(batch, this.heard) }
        : batch;
    this.ring.push(fresh);
    this.heard = fresh.last;
    this.known = Math.max(this.known, fresh.last);
    if (fresh.sealed) this.end = fresh.last;
    // One write for each follower and turn of the event loop, however many appends came in; of a hot run, in a few ms.
    if (this.pending.push(fresh) > 1 && !fresh.sealed) return;
    const pause = this.flushedAt + WINDOW_MS - performance.now();
    if (pause <= 0 || fresh.sealed) setImmediate(() => this.flush());
    else setTimeout(() => this.flush(), pause);
  }

  /**
   * The end of the log as the log reports it: a follower that missed something reads it. Decision 7.
   * @param asked `lastKnown`, as it was before the log was asked
   */
  compare({ lastSequence, sealed, frame }: Tail, asked: Known): void {
    if (this.broken) return;
    const other = frame && asked.frame && printOf(frame) !== asked.frame.print;
    if (lastSequence < asked.sequence || other)
      return this.lost('a failover has lost the end of the log');
    this.known = Math.max(this.known, lastSequence);
    if (sealed) this.end = lastSequence;
    // From here on, all that is published must be heard.
    if (asked.subscription !== undefined && asked.subscription === this.subscription)
      this.vouched ??= this.known;
    for (const follower of this.followers) this.settle(follower);
  }

  /**
   * The log is not what it was. Nothing more is written; when it is remembered what was lost, the followers are ended, come back,
   * and are told.
   */
  lost(why: string): void {
    if (this.broken) return;
    this.broken = true;
    this.options.onError(new Error(why));
    this.pending = [];
    this.ring.clear();
    const seen = Math.max(
      0,
      ...[...this.followers].map(({ cursor }) => cursor),
      this.seen?.sequence ?? 0,
    );
    void this.options.onLost(seen).then(() => {
      for (const follower of [...this.followers]) this.finish(follower);
    });
  }

  /** Gives back memory, where the node has more runs to care for now. */
  trim(): void {
    this.ring.trim();
  }

  /** Ends every follower at a frame boundary. Resolves when all bytes are with the kernel. */
  async close(): Promise<void> {
    this.flush();
    await Promise.all(
      [...this.followers].map(async (follower) => {
        this.leave(follower);
        await drained(follower.sink);
        follower.sink.end();
      }),
    );
  }

  private flush(): void {
    this.flushedAt = performance.now();
    // After a gap in what was heard, only the part behind it can be passed on, and only to followers that have read up to it.
    const from = this.pending.findLastIndex(
      (batch, i) => i === 0 || batch.first !== (this.pending[i - 1] as Batch).last + 1,
    );
    const batches = this.pending.slice(Math.max(from, 0));
    this.pending = [];
    const [first] = batches;
    if (!first) return;
    const { last } = batches.at(-1) as Batch;
    const bytes =
      batches.length === 1 ? first.bytes : Buffer.concat(batches.map((batch) => batch.bytes));
    const print = printOfLast(bytes);
    for (const follower of this.followers) {
      if (follower.mode === 'live' && follower.cursor === first.first - 1) {
        this.give(follower, { bytes, last, print });
      }
      this.settle(follower);
    }
  }

  /** Decides what a live follower is now: still live, behind, or at the end of a sealed log. */
  private settle(follower: Follower): void {
    if (follower.mode !== 'live' || this.broken) return;
    if (follower.cursor >= this.end) {
      this.finish(follower);
    } else if (
      follower.cursor < this.known ||
      follower.sink.backlog() > this.options.followerBufferBytes
    ) {
      follower.mode = 'behind';
      void this.catchUp(follower);
    }
  }

  /** Something was published that cannot be passed on as it is: a follower that lacks it reads the log. */
  private hint(last: number): void {
    if (last <= this.known) return;
    this.known = last;
    for (const follower of this.followers) this.settle(follower);
  }

  private give(follower: Follower, { bytes, last, print }: Stretch): void {
    follower.write(bytes, last, print);
    if (last > (this.seen?.sequence ?? 0)) this.seen = { sequence: last, print };
  }

  private finish(follower: Follower): void {
    if (follower.mode === 'closed') return;
    follower.sink.end();
    this.leave(follower);
  }

  /** Brings a follower up to what is known, at the pace of its client, and makes it live. One at a time for each. */
  private async catchUp(follower: Follower): Promise<void> {
    try {
      let complete = false;
      while (follower.mode === 'behind' && !this.broken) {
        if (follower.sink.backlog() > this.options.followerBufferBytes)
          await drained(follower.sink);
        else if (complete && follower.cursor >= this.known) break;
        else complete = await this.advance(follower);
      }
      if (follower.mode !== 'behind' || this.broken) return;
      follower.mode = 'live';
      this.settle(follower);
    } catch (error) {
      if (follower.mode === 'closed') return;
      this.options.onError(error);
      this.finish(follower);
    }
  }

  /** Writes the next stretch. @returns whether that was all there is */
  private async advance(follower: Follower): Promise<boolean> {
    const recent = this.ring.after(follower.cursor, this.options.followerBufferBytes);
    if (recent) {
      this.give(follower, recent);
      return true;
    }
    const stretch = await this.pager.after(follower.cursor);
    if (follower.mode !== 'behind' || this.broken) return false;
    if (follower.cursor > stretch.lastSequence || !this.continues(follower, stretch.follows)) {
      this.lost('a failover has put another history into the log');
      return false;
    }
    if (stretch.bytes.length > 0) this.give(follower, stretch);
    this.known = Math.max(this.known, stretch.last, stretch.lastSequence);
    if (stretch.sealed) this.end = stretch.lastSequence;
    return stretch.complete;
  }

  /** Whether the frame before a stretch is the one that the follower has, as far as anybody knows. */
  private continues({ cursor, print }: Follower, follows: string | undefined): boolean {
    const expected = print ?? (cursor === this.seen?.sequence ? this.seen.print : undefined);
    return follows === undefined || expected === undefined || follows === expected;
  }
}

const drained = (sink: Sink) => new Promise<void>((resolve) => sink.onceDrained(resolve));
