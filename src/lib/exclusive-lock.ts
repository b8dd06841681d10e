/**
 * Runs tasks of one process concurrently, or one task alone. A task that may have crashed its
 * process runs alone, so that the next crash can be attributed to it.
 */
export class ExclusiveLock {
  private inside = 0;
  private alone = false;
  private readonly waiting: { alone: boolean; enter: () => void }[] = [];

  /**
   * Waits until the task may start. Tasks start in the order of the calls.
   * @returns a function that ends the task; further calls have no effect
   */
  async enter(alone: boolean): Promise<() => void> {
    await new Promise<void>((enter) => {
      this.waiting.push({ alone, enter });
      this.admit();
    });
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.inside--;
      this.alone = false;
      this.admit();
    };
  }

  private admit(): void {
    for (let next = this.waiting[0]; next; next = this.waiting[0]) {
      if (this.alone || (next.alone && this.inside > 0)) return;
      this.waiting.shift();
      this.inside++;
      this.alone = next.alone;
      next.enter();
    }
  }
}
