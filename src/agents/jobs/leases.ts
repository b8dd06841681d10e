/** A job's lock as this process holds it. */
interface Lease {
  jobId: string;
  token: string;
  /** By this process's clock: when the lock has expired in Redis, unless it was extended. */
  until: number;
  lost: () => void;
}

/**
 * Asks Redis to extend locks.
 * @returns the jobs whose locks another process holds
 */
export type ExtendLocks = (jobIds: string[], tokens: string[], ms: number) => Promise<string[]>;

/**
 * Renews the locks of the jobs that one BullMQ worker works on, and reports to each job that its
 * lock is lost. Replaces BullMQ's renewal, which knows locks only by job id (a job that returns to
 * the process that lost it is mistaken for its predecessor) and reports nothing while Redis cannot
 * be reached. Here a lock also counts as lost when it must have expired: a process that was cut off
 * stops before or soon after another process takes its place.
 */
export class Leases {
  private readonly held = new Map<string, Lease>();
  private readonly timer: NodeJS.Timeout;

  /**
   * @param lockMs how long a lock lasts from when it was last extended
   * @param now ms of a clock that does not jump
   */
  constructor(
    private readonly extend: ExtendLocks,
    private readonly lockMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.timer = setInterval(() => void this.turn(), lockMs / 4);
    this.timer.unref();
  }

  /**
   * Begins to renew the lock of a job that was just taken. If this process still works on the same
   * job, that earlier work has lost its lock.
   * @returns ends it
   */
  hold(jobId: string, token: string, lost: () => void): () => void {
    this.held.get(jobId)?.lost();
    const lease = { jobId, token, until: this.now() + this.lockMs, lost };
    this.held.set(jobId, lease);
    return () => void (this.held.get(jobId) === lease && this.held.delete(jobId));
  }

  close(): void {
    clearInterval(this.timer);
  }

  /** Runs once every quarter of a lock's time, and does not wait for the previous response. */
  async turn(): Promise<void> {
    const asked = this.now();
    for (const lease of [...this.held.values()]) if (lease.until < asked) this.lose(lease);
    const leases = [...this.held.values()];
    if (leases.length === 0) return;
    try {
      const ids = leases.map(({ jobId }) => jobId);
      const tokens = leases.map(({ token }) => token);
      const failed = new Set(await this.extend(ids, tokens, this.lockMs));
      for (const lease of leases) {
        if (failed.has(lease.jobId)) this.lose(lease);
        else lease.until = Math.max(lease.until, asked + this.lockMs);
      }
    } catch {
      // Redis cannot be reached: until the locks expire, they are ours.
    }
  }

  private lose(lease: Lease): void {
    if (this.held.get(lease.jobId) !== lease) return;
    this.held.delete(lease.jobId);
    lease.lost();
  }
}
