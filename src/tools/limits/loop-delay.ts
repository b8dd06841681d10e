/** How late this process was to do what was due, from `start` to `stop`. */
export interface DelayWatch {
  /** The greatest delay so far, in ms. */
  maxMs(): number;
  stop(): void;
}

const SAMPLE_MS = 10;

/**
 * Measures by how much timers of this process are late while something is watched. A probe that waited for the processor
 * itself has measured its own process, not its target. Own sampling instead of `monitorEventLoopDelay`: that has one histogram
 * for the life of a process, and here each probe needs the delay of its own time.
 */
export class LoopDelay {
  private readonly watches = new Set<{ maxMs: number; since: number }>();
  private timer: NodeJS.Timeout | undefined;
  private due = 0;

  start(): DelayWatch {
    const watch = { maxMs: 0, since: performance.now() };
    this.watches.add(watch);
    if (!this.timer) {
      this.due = watch.since + SAMPLE_MS;
      this.timer = setInterval(() => this.sample(), SAMPLE_MS);
      this.timer.unref();
    }
    return {
      maxMs: () => {
        // The timer itself may be overdue at this moment.
        this.record(performance.now());
        return Math.round(watch.maxMs);
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
    this.record(now);
    this.due = now + SAMPLE_MS;
  }

  private record(now: number): void {
    for (const watch of this.watches) {
      const late = now - Math.max(this.due, watch.since + SAMPLE_MS);
      if (late > watch.maxMs) watch.maxMs = late;
    }
  }
}
