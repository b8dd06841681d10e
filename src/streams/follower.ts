/** Where a follower's bytes go: a socket, as far as the feed knows it. */
export interface Sink {
  /** Takes whole frames; never blocks. @returns bytes of them that the client is given: in another format there may be none */
  write(bytes: Buffer): number;
  /** Bytes taken by `write` that have not left the process. */
  backlog(): number;
  /** Like `backlog`, of what the kernel is being given at this moment: changes with every byte that it takes. */
  queued(): number;
  /** Calls back once, when the backlog is gone or the sink is closed. */
  onceDrained(callback: () => void): void;
  /** The log is at its end, or the node is going away: close after what was written. */
  end(): void;
  /** Close at once. */
  destroy(): void;
}

/** A follower is live (served from what is heard) or behind (reads from the ring or the log at its own pace). */
export class Follower {
  mode: 'live' | 'behind' | 'closed' = 'behind';
  /** Of the frame at the cursor, where that was written here. */
  print: string | undefined;
  /** ms, monotonic: when the client was last given something. */
  wroteAt = performance.now();
  private written = 0;
  private movedAt = performance.now();
  private left = 0;
  private queued = 0;

  constructor(
    readonly sink: Sink,
    /** The last sequence written to the sink. */
    public cursor: number,
    /** Called once when the follower has been closed, whatever the reason. */
    readonly closed: () => void,
  ) {}

  /** Frames, with the sequence and the print of the last of them; or a comment. */
  write(bytes: Buffer, last = this.cursor, print = this.print): void {
    const given = this.sink.write(bytes);
    this.cursor = last;
    this.print = print;
    this.written += given;
    if (given > 0) this.wroteAt = performance.now();
  }

  /** ms in which the client has taken nothing although there was something for it. To be asked now and then: it looks at what has changed. */
  stuckMs(now: number): number {
    const backlog = this.sink.backlog();
    const [left, queued] = [this.written - backlog, this.sink.queued()];
    if (backlog === 0 || left !== this.left || queued !== this.queued) this.movedAt = now;
    [this.left, this.queued] = [left, queued];
    return now - this.movedAt;
  }
}
