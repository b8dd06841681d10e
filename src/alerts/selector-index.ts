import type { Alert } from './alert.js';
import type { Selector } from './label-matchers.js';

interface IndexEntry<T> {
  at: number;
  selector: T;
}

/** Indexes selectors by a label value that they name, so that most need not be tested. */
export class SelectorIndex<T extends Selector> {
  /** By a name and a value as JSON. */
  private readonly byValue = new Map<string, IndexEntry<T>[]>();
  /** Selectors that name no value. */
  private readonly others: IndexEntry<T>[] = [];

  constructor(selectors: readonly T[]) {
    const counts = new Map<string, number>();
    for (const { values } of selectors)
      for (const key of values.map(keyOf)) counts.set(key, (counts.get(key) ?? 0) + 1);
    for (const [at, selector] of selectors.entries()) {
      const keys = selector.values.map(keyOf);
      const [rarest] = keys.toSorted((a, b) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0));
      const place = rarest === undefined ? this.others : (this.byValue.get(rarest) ?? []);
      place.push({ at, selector });
      if (rarest !== undefined) this.byValue.set(rarest, place);
    }
  }

  /**
   * The selectors that fit the labels, in the order in which they were given, and how many were
   * tested.
   */
  fitting(labels: Alert['labels']): { found: T[]; tested: number } {
    const named = Object.entries(labels).flatMap((entry) => this.byValue.get(keyOf(entry)) ?? []);
    const candidates = [...this.others, ...named];
    const found = candidates
      .filter(({ selector }) => selector.test(labels))
      .toSorted((a, b) => a.at - b.at)
      .map(({ selector }) => selector);
    return { found, tested: candidates.length };
  }
}

const keyOf = (entry: [name: string, value: string]): string => JSON.stringify(entry);
