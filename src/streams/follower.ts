/** Destination of a follower's bytes: a socket, reduced to what the feed needs. */
export interface Sink {
  /**
   * Takes whole frames; never blocks.
   * @returns bytes sent to the client, which may be 0 in another format
   */
  write(bytes: Buffer): number;
  /** Written bytes that have not left the process. */
  backlog(): number;
  /**
   * Bytes of the current write that the kernel has not taken. Changes whenever the client receives
   * something.
   */
  queued(): number;
  /** Calls back once when the backlog is empty or the sink has closed. */
  onceDrained(callback: () => void): void;
  /** Closes after all written bytes. */
  end(): void;
  /** Closes at once. */
  destroy(): void;
}

/**
 * A follower is live (receives published frames) or behind (reads the ring or the log at its own
 * pace).
 */
export class Follower {
  mode: 'live' | 'behind' | 'closed' = 'behind';
  /** Digest of the frame at the cursor, if it was written here. */
  digest: string | undefined;
  /** Monotonic time in ms of the last write to the client. */
  wroteAt = performance.now();
  private written = 0;
  private movedAt = performance.now();
  private left = 0;
  private queued = 0;

  constructor(
    readonly sink: Sink,
    /** The last sequence written to the sink. */
    public cursor: number,
    /** Called once when the follower has closed, for any reason. */
    readonly closed: () => void,
  ) {}

  /** Writes frames, with sequence and digest of the last one, or a comment. */
  write(bytes: Buffer, last = this.cursor, digest = this.digest): void {
    const given = this.sink.write(bytes);
    this.cursor = last;
    this.digest = digest;
    this.written += given;
    if (given > 0) this.wroteAt = performance.now();
  }

  /**
   * ms in which the client received nothing although bytes were waiting. Call it regularly: it
   * compares with the previous call.
   */
  stuckMs(now: number): number {
    const backlog = this.sink.backlog();
    const left = this.written - backlog;
    const queued = this.sink.queued();
    if (backlog === 0 || left !== this.left || queued !== this.queued) this.movedAt = now;
    [this.left, this.queued] = [left, queued];
    return now - this.movedAt;
  }
}
