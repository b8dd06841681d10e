/** How late this process was to do what was due. */
export interface Lateness {
  /** The greatest delay, in ms. */
  maxMs: number;
  /** All delays together, in ms: no duration was measured as longer by more than this. */
  totalMs: number;
}

/** The lateness from `start` to `stop`. */
export interface DelayWatch {
  soFar(): Lateness;
  stop(): void;
}

const SAMPLE_MS = 10;

/**
 * Measures by how much timers of this process are late while something is watched. A probe that waited for the processor
 * itself has measured its own process, not its target. Own sampling instead of `monitorEventLoopDelay`: that has one histogram
 * for the life of a process, and here each probe needs the delay of its own time.
 */
export class LoopDelay {
  private readonly watches = new Set<Lateness & { since: number }>();
  private timer: NodeJS.Timeout | undefined;
  private due = 0;

  start(): DelayWatch {
    const watch = { maxMs: 0, totalMs: 0, since: performance.now() };
    this.watches.add(watch);
    if (!this.timer) {
      this.due = watch.since + SAMPLE_MS;
      this.timer = setInterval(() => this.sample(), SAMPLE_MS);
      this.timer.unref();
    }
    return {
      soFar: () => {
        // The timer itself may be overdue at this moment.
        if (performance.now() > this.due) this.sample();
        return { maxMs: Math.round(watch.maxMs), totalMs: Math.round(watch.totalMs) };
      },
      stop: () => {
        this.watches.delete(watch);
        if (this.watches.size > 0) return;
        clearInterval(this.timer);
        this.timer = undefined;
      },
    };
  }

  private sample(): void {
    const now = performance.now();
    for (const watch of this.watches) {
      const late = now - Math.max(this.due, watch.since + SAMPLE_MS);
      if (late <= 0) continue;
      watch.maxMs = Math.max(watch.maxMs, late);
      watch.totalMs += late;
    }
    this.due = now + SAMPLE_MS;
  }
}
