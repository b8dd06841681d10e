/** Where a follower's bytes go: a socket, as far as the feed knows it. */
export interface Sink {
  /** Takes whole frames; never blocks. */
  write(bytes: Buffer): void;
  /** Bytes taken by `write` that have not left the process. */
  backlog(): number;
  /** Calls back once, when the backlog is gone or the sink is closed. */
  onceDrained(callback: () => void): void;
  /** The log is at its end, or the node is going away: close after what was written. */
  end(): void;
  /** Close at once. */
  destroy(): void;
}

/** A follower is live (served from what is heard) or behind (reads from the ring or the log at its own pace). */
export interface Follower {
  readonly sink: Sink;
  /** The last sequence written to the sink. */
  cursor: number;
  mode: 'live' | 'behind' | 'closed';
  /** ms, monotonic: when something was last written. */
  wroteAt: number;
  /** Called once when the follower has been closed, whatever the reason. */
  readonly closed: () => void;
}
