/** A timer that fired late. */
interface LateTimer {
  /** When it fired, on the monotonic clock in ms. */
  at: number;
  /** ms by which it was late. */
  ms: number;
}

/** How late this process was to do what was due, while something was watched. */
export interface Lateness {
  /**
   * The greatest sum of delays, in ms, in any period of so many ms: no duration of that length was
   * measured as longer by more than this.
   */
  within: (ms: number) => number;
}

/** The lateness from `start` to `stop`. */
export interface DelayWatch {
  soFar(): Lateness;
  stop(): void;
}

const SAMPLE_MS = 10;
/** ms by which timers are late in a process that has the processor to itself. */
const JITTER_MS = 5;

/** @param late in the order of time */
export function latenessOf(late: readonly LateTimer[]): Lateness {
  return {
    within: (length) => {
      let from = 0;
      let sum = 0;
      let most = 0;
      for (const { at, ms } of late) {
        sum += ms;
        // A delay counts whole if any part of it can be in the same period.
        for (let first = late[from]; first; first = late[from]) {
          if (first.at === at || at - ms - first.at < length) break;
          sum -= first.ms;
          from += 1;
        }
        most = Math.max(most, sum);
      }
      return Math.round(most);
    },
  };
}

/**
 * Measures by how much timers of this process are late while something is watched. A probe that
 * waited for the processor itself has measured its own process, not its target. Own sampling
 * instead of `monitorEventLoopDelay`: that has one histogram for the life of a process, and here
 * each probe needs the delay of its own time.
 */
export class LoopDelay {
  private readonly watches = new Set<{ since: number; late: LateTimer[] }>();
  private timer: NodeJS.Timeout | undefined;
  private due = 0;

  start(): DelayWatch {
    const watch = { since: performance.now(), late: [] };
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
        return latenessOf(watch.late);
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
    const at = performance.now();
    for (const { since, late } of this.watches) {
      const ms = at - Math.max(this.due, since + SAMPLE_MS);
      if (ms > JITTER_MS) late.push({ at, ms });
    }
    this.due = at + SAMPLE_MS;
  }
}
