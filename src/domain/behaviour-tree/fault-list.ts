import { ConsiliumError, type Fault } from '../errors.js';
import type { Place } from './form.js';

/** Faults that are named of one behaviour; one with more is not worth the reading. */
const MOST = 50;

export type AddFault = (place: Place, message: string) => void;

/** What is wrong with a behaviour and with the files that it refers to, each with file, line and column; the same only once. */
export class FaultList {
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

  /** @throws ConsiliumError `VALIDATION_FAILED` with all of them, also in its message; nothing when there is none */
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
