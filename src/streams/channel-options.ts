import type { LogPage } from '../event-log/log-port.js';

export interface ChannelOptions {
  /** Unsent bytes of a follower above which the process stops writing to it. */
  followerBufferBytes: number;
  /** Current maximum bytes of recent frames in memory. */
  ringBytes(): number;
  read(after: number, limit: number): Promise<LogPage>;
  /** The log cannot be read. Followers were closed; clients get the error when they reconnect. */
  onError(error: unknown): void;
  /**
   * The log lost events up to a sequence. Resolves when that is recorded; clients are disconnected
   * after that.
   */
  onLost(seen: number): Promise<void>;
  /** The last follower has left. */
  onEmpty(): void;
}

/** What a log must still have: a sequence that it must reach, and a frame that it must contain. */
export interface ExpectedLog {
  sequence: number;
  frame: SentFrame | undefined;
  /** The subscription at the time of the request. */
  subscription: number | undefined;
}

/** A frame that was sent to followers. */
export interface SentFrame {
  sequence: number;
  digest: string;
}
