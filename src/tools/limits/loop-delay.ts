/** A timer that fired late. */
interface LateTimer {
  /** When it fired, on the monotonic clock in ms. */
  at: number;
  /** ms by which it was late. */
  ms: number;
}

/** The lateness of this process while something was watched. */
export interface Lateness {
  /**
   * The maximum ms by which the delays of this process can have lengthened one try of this
   * duration, or this many tries together.
   */
  within: (ms: number, tries?: number) => number;
}

/** The lateness from `start` to `stop`. */
export interface DelayWatch {
  soFar(): Lateness;
  stop(): void;
}

const SAMPLE_MS = 10;
/** ms by which timers are late in an idle process. */
const JITTER_MS = 5;

/**
 * How often a try waits for this process: for a name, a connection, TLS, the request, and the
 * answer. A delay at another moment passes while the target works, and lengthens nothing.
 */
const STEPS = 5;

/**
 * @param late in the order of time
 * @internal Exported for tests.
 */
export function latenessOf(late: readonly LateTimer[]): Lateness {
  // A delay counts completely if any part of it can be in the same period.
  const fits = (last: LateTimer, first: LateTimer, length: number) =>
    last === first || last.at - last.ms - first.at < length;
  return {
    within: (length, tries = 1) => {
      let from = 0;
      let most = 0;
      for (const [to, last] of late.entries()) {
        while (!fits(last, late[from] ?? last, length)) from += 1;
        const next = late[to + 1];
        const isWhole = !next || !fits(next, late[from] ?? next, length);
        if (isWhole) most = Math.max(most, greatest(late.slice(from, to + 1), STEPS * tries));
      }
      return Math.round(most);
    },
  };
}

/** The sum of the largest delays, in ms. */
const greatest = (late: readonly LateTimer[], count: number): number =>
  late
    .map(({ ms }) => ms)
    .toSorted((a, b) => b - a)
    .slice(0, count)
    .reduce((sum, ms) => sum + ms, 0);

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
