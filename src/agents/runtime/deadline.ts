/**
 * The end of an agent's time, and the signals that end its calls. The signals are created when they
 * are read: an agent that waits for nothing needs none, and each costs as much as a step of its
 * tree.
 */
export class Deadline {
  private readonly at: number;
  private timeout: AbortSignal | undefined;
  private both: AbortSignal | undefined;

  /**
   * @param ms until then
   * @param stop aborted when the agent stops immediately
   */
  constructor(
    ms: number,
    private readonly stop: AbortSignal,
  ) {
    this.at = performance.now() + Math.max(0, ms);
  }

  /** Whether the time is up. Also true if the signal has fired a moment early, as timers may. */
  get aborted(): boolean {
    return this.timeout?.aborted === true || performance.now() >= this.at;
  }

  /** ms for a timer: when it fires, the time is up, also if it fires a moment early. */
  get leftMs(): number {
    return Math.max(0, Math.ceil(this.at - performance.now())) + 1;
  }

  /** Fires at the deadline, and with `stop`. */
  get ends(): AbortSignal {
    this.timeout ??= AbortSignal.timeout(Math.max(0, Math.ceil(this.at - performance.now())));
    this.both ??= AbortSignal.any([this.stop, this.timeout]);
    return this.both;
  }
}
