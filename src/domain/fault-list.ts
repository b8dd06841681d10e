import type { Fault } from './errors.js';

/** Faults of an input that are shown. */
export const MOST_FAULTS = 1_000;

/**
 * Collects the faults of an input, up to a maximum. After that, messages are not built and the
 * reader may stop, so that a hostile input costs no more than an invalid one.
 */
export class FaultList {
  private readonly faults: Fault[] = [];
  private overflown = false;

  add(path: string, message: string | (() => string)): void {
    if (this.isFull) this.overflown = true;
    else this.faults.push({ path, message: typeof message === 'string' ? message : message() });
  }

  get count(): number {
    return this.faults.length;
  }

  get isFull(): boolean {
    return this.faults.length === MOST_FAULTS;
  }

  all(): Fault[] {
    return this.overflown
      ? [
          ...this.faults,
          { path: '', message: `there are more; these are the first ${MOST_FAULTS}` },
        ]
      : this.faults;
  }
}
