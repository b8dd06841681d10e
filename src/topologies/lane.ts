import pLimit from 'p-limit';

/**
 * Does work one after the other, and prevents a caller from using all the room for waiting work.
 */
export class Lane {
  private readonly limit = pLimit(1);
  /** The amount of running or waiting work of each caller. */
  private readonly held = new Map<string, number>();

  /**
   * @param most how much work may wait
   * @param share how much work of one caller may run or wait
   */
  constructor(
    private readonly most: number,
    private readonly share: number,
  ) {}

  /** @returns undefined if there is no room: at all, or for this caller */
  run<Result>(caller: string, work: () => Promise<Result>): Promise<Result> | undefined {
    const held = this.held.get(caller) ?? 0;
    if (held >= this.share || this.limit.pendingCount >= this.most) return undefined;
    this.held.set(caller, held + 1);
    return this.limit(work).finally(() => {
      const left = (this.held.get(caller) ?? 1) - 1;
      if (left === 0) this.held.delete(caller);
      else this.held.set(caller, left);
    });
  }
}
