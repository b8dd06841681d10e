/**
 * Limits the bytes that all probes of a process hold at once: each waits until its share is free,
 * in the order of the calls.
 */
export class MemoryBudget {
  private free: number;
  private readonly waiting: { bytes: number; enter: () => void }[] = [];

  /** @param total bytes */
  constructor(private readonly total: number) {
    this.free = total;
  }

  /**
   * Waits for a share. One that is larger than the whole budget gets all of it.
   * @returns frees it; calling it again does nothing
   * @throws the signal's reason
   */
  async reserve(bytes: number, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    const share = Math.min(bytes, this.total);
    await new Promise<void>((resolve) => {
      const leave = () => {
        const index = this.waiting.indexOf(place);
        if (index !== -1) this.waiting.splice(index, 1);
        resolve();
      };
      const enter = () => {
        // A remaining listener would keep the signal of every probe in memory.
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const place = { bytes: share, enter };
      this.waiting.push(place);
      signal.addEventListener('abort', leave, { once: true });
      this.admit();
    });
    signal.throwIfAborted();
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.free += share;
      this.admit();
    };
  }

  private admit(): void {
    for (let next = this.waiting[0]; next && next.bytes <= this.free; next = this.waiting[0]) {
      this.waiting.shift();
      this.free -= next.bytes;
      next.enter();
    }
  }
}
