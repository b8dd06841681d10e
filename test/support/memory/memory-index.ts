import type { IndexPlace, IndexRange, RunIndex } from '../../../src/event-log/run-index.js';

/** An index of runs in memory: what lists and streams of changes read of it. */
export class MemoryIndex {
  private places: IndexPlace[] = [];
  private readonly openRuns = new Set<string>();

  /** The index, for a constructor that takes one. */
  get asIndex(): RunIndex {
    return this as unknown as RunIndex;
  }

  now(): number {
    return Date.now();
  }

  addAt(runId: string, createdAt: number): void {
    this.places = [{ runId, createdAt }, ...this.places];
    this.openRuns.add(runId);
  }

  closeRun(runId: string): void {
    this.openRuns.delete(runId);
  }

  async open() {
    return this.places.filter(({ runId }) => this.openRuns.has(runId));
  }

  async page(
    { since = 0, until = Infinity, oldestFirst = false }: IndexRange,
    after: IndexPlace | undefined,
    limit: number,
  ) {
    const places = oldestFirst ? this.places.toReversed() : this.places;
    const from = after ? places.findIndex(({ runId }) => runId === after.runId) + 1 : 0;
    return places
      .slice(from)
      .filter(({ createdAt }) => createdAt >= since && createdAt <= until)
      .slice(0, limit);
  }
}
