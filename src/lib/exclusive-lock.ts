/**
 * Lets work of one process run side by side, or one piece of it alone. Work that may be what kills its processes runs alone,
 * so that the next crash can be attributed to it.
 */
export class ExclusiveLock {
  private inside = 0;
  private alone = false;
  private readonly waiting: { alone: boolean; enter: () => void }[] = [];

  /**
   * Waits for a place, first come, first served.
   * @returns leaves the place; calling it again does nothing
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
