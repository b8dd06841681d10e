import { Follower, type Sink } from './follower.js';
import { FrameRing, mergeBatches, tailOf, type Batch, type FrameRange } from './frame-ring.js';
import { LogPager } from './log-pager.js';
import type { Tail } from '../event-log/log-port.js';
import type { ChannelOptions, ExpectedLog, SentFrame } from './channel-options.js';
import { frameDigest } from './frame-digest.js';

/**
 * ms. If the last write of a run is more recent, new frames are collected for this time before they
 * are written: fewer writes for a small delay.
 * @internal Exported for tests.
 */
export const WINDOW_MS = 3;

/**
 * The followers of one run in this process. A published batch is a hint: if it continues a
 * follower's cursor, it is written as it is; otherwise the follower reads the log. The cursor only
 * moves when the frames in between are written. A batch must continue the frame at the cursor and
 * not only its sequence: after a failover the log may have another history, and then all followers
 * are closed.
 */
export class RunChannel {
  private readonly followers = new Set<Follower>();
  private readonly ring: FrameRing;
  private readonly pager: LogPager;
  private pending: Batch[] = [];
  /** The last sequence received from the subscription. */
  private received = 0;
  /** The last sequence that is known to be in the log. */
  private known = 0;
  /** The sequence of the terminal event, if it is known. */
  private end = Infinity;
  /** The latest frame that was sent to a follower. */
  private sent: SentFrame | undefined;
  /**
   * Events up to this sequence need not have been received. Undefined: not subscribed, or the log
   * was not compared since the subscription.
   */
  private receivingSince: number | undefined;
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

  /** What the log must have if it has not lost events. */
  get expectedLog(): ExpectedLog {
    return { sequence: this.known, frame: this.sent, subscription: this.subscription };
  }

  /** Whether the log has lost events. New followers must reconnect. */
  get isLost(): boolean {
    return this.broken;
  }

  /**
   * Called when the subscription is in place. Its messages are passed on after the next comparison.
   */
  subscribed(): void {
    this.subscription ??= ++this.subscriptions;
  }

  /** Called when the subscription is lost. The next one may be on another server. */
  interrupted(): void {
    this.subscription = this.receivingSince = undefined;
  }

  /** Whether an event should have been received and was not. */
  missed(sequence: number): boolean {
    return (
      this.receivingSince !== undefined && sequence > Math.max(this.received, this.receivingSince)
    );
  }

  /**
   * Adds a follower. Events that are published before the subscription is in place are found by the
   * first `compare` after it.
   */
  follow(sink: Sink, after: number, closed: () => void): Follower {
    const follower = new Follower(sink, after, closed);
    this.followers.add(follower);
    // Deferred, because a log that has ended may close the follower before the caller has it.
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

  /** Receives the frames of one append. They may arrive twice, late or never. */
  receive(batch: Batch): void {
    if (this.broken) return;
    if (this.receivingSince === undefined) return this.hint(batch.last);
    if (batch.first <= this.received && this.ring.contradicts(batch))
      return this.lost('a failover has lost the last events of the log');
    if (batch.last <= this.received) return;
    const fresh =
      batch.first <= this.received
        ? { ...batch, first: this.received + 1, bytes: tailOf(batch, this.received) }
        : batch;
    this.ring.push(fresh);
    this.received = fresh.last;
    this.known = Math.max(this.known, fresh.last);
    if (fresh.sealed) this.end = fresh.last;
    // One write per follower for all appends of one turn of the event loop, or of WINDOW_MS for an
    // active run.
    if (this.pending.push(fresh) > 1 && !fresh.sealed) return;
    const pause = this.flushedAt + WINDOW_MS - performance.now();
    if (pause <= 0 || fresh.sealed) setImmediate(() => this.flush());
    else setTimeout(() => this.flush(), pause);
  }

  /**
   * Compares with the end of the log. Followers that missed events read them. See
   * docs/decisions/0020-how-the-feed-checks-itself.md.
   * @param asked `expectedLog`, taken before the log was read
   */
  compare({ lastSequence, sealed, frame }: Tail, asked: ExpectedLog): void {
    if (this.broken) return;
    const other = frame && asked.frame && frameDigest(frame) !== asked.frame.digest;
    if (lastSequence < asked.sequence || other)
      return this.lost('a failover has lost the last events of the log');
    this.known = Math.max(this.known, lastSequence);
    if (sealed) this.end = lastSequence;
    // From here on, every published event must be received.
    if (asked.subscription !== undefined && asked.subscription === this.subscription)
      this.receivingSince ??= this.known;
    for (const follower of this.followers) this.settle(follower);
  }

  /**
   * Handles a log that lost events. Nothing more is written. After the loss is recorded, the
   * followers are closed; clients get the error when they reconnect.
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
      this.sent?.sequence ?? 0,
    );
    void this.options.onLost(seen).then(() => {
      for (const follower of [...this.followers]) this.finish(follower);
    });
  }

  /** Frees memory after the maximum has changed. */
  trim(): void {
    this.ring.trim();
  }

  /** Ends every follower at a frame boundary. Resolves when the kernel has all bytes. */
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
    const merged = mergeBatches(this.pending);
    this.pending = [];
    if (!merged) return;
    for (const follower of this.followers) {
      if (follower.mode === 'live' && follower.cursor === merged.first - 1) {
        this.send(follower, merged);
      }
      this.settle(follower);
    }
  }

  /**
   * Decides whether a live follower stays live, is behind, or has reached the end of a sealed log.
   */
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

  /**
   * Records that events were published that cannot be written as they are. Followers that lack them
   * read the log.
   */
  private hint(last: number): void {
    if (last <= this.known) return;
    this.known = last;
    for (const follower of this.followers) this.settle(follower);
  }

  private send(follower: Follower, { bytes, last, digest }: FrameRange): void {
    follower.write(bytes, last, digest);
    if (last > (this.sent?.sequence ?? 0)) this.sent = { sequence: last, digest };
  }

  private finish(follower: Follower): void {
    if (follower.mode === 'closed') return;
    follower.sink.end();
    this.leave(follower);
  }

  /**
   * Writes all known events to a follower, at the pace of its client, and makes it live. Runs once
   * at a time per follower.
   */
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

  /** Writes the next frames. @returns whether the follower has reached the end */
  private async advance(follower: Follower): Promise<boolean> {
    const recent = this.ring.after(follower.cursor, this.options.followerBufferBytes);
    if (recent) {
      this.send(follower, recent);
      return true;
    }
    const range = await this.pager.after(follower.cursor);
    if (follower.mode !== 'behind' || this.broken) return false;
    if (follower.cursor > range.lastSequence || !this.continues(follower, range.previousDigest)) {
      this.lost('a failover has replaced events of the log');
      return false;
    }
    if (range.bytes.length > 0) this.send(follower, range);
    this.known = Math.max(this.known, range.last, range.lastSequence);
    if (range.sealed) this.end = range.lastSequence;
    return range.complete;
  }

  /**
   * Whether the frame before these frames is the one at the follower's cursor, as far as both
   * digests are known.
   */
  private continues({ cursor, digest }: Follower, previousDigest: string | undefined): boolean {
    const expected = digest ?? (cursor === this.sent?.sequence ? this.sent.digest : undefined);
    return previousDigest === undefined || expected === undefined || previousDigest === expected;
  }
}

const drained = (sink: Sink) => new Promise<void>((resolve) => sink.onceDrained(resolve));
