import { ConsiliumError, type Fault } from '../errors.js';
import type { Place } from './form.js';

/** Maximum number of reported faults. */
const MOST = 50;

export type AddFault = (place: Place, message: string) => void;

/**
 * Collects the faults of a behaviour and its files, with file, line and column, without duplicates.
 */
export class BehaviourFaults {
  private readonly faults = new Map<string, Fault>();

  get size(): number {
    return this.faults.size;
  }

  in(file: string): AddFault {
    return ({ line, column }, message) => {
      const path = `${file}:${line}:${column}`;
      if (this.faults.size < MOST) this.faults.set(`${path} ${message}`, { path, message });
    };
  }

  /**
   * @throws ConsiliumError `VALIDATION_FAILED` with all faults, also in its message, if there are
   *   any
   */
  throwIfAny(file: string): void {
    if (this.faults.size === 0) return;
    const faults = [...this.faults.values()];
    const lines = faults.map(({ path, message }) => `\n  ${path}: ${message}`);
    throw new ConsiliumError(
      'VALIDATION_FAILED',
      `The behaviour ${file} cannot be used:${lines.join('')}`,
      { faults },
    );
  }
}
