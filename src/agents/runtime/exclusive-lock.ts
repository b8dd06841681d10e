/**
 * Lets agents of one process work side by side, or one of them alone. An agent that may be what kills its processes works
 * alone, so that the next crash is its own and no neighbour is condemned for it.
 */
export class ExclusiveLock {
  private inside = 0;
  private alone = false;
  private readonly waiting: { alone: boolean; enter: () => void }[] = [];

  /**
   * Waits for a place. First come, first served: whoever wants to be alone is not passed by.
   * @returns leaves the place; once
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
