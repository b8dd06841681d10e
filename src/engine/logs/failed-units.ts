import type { LogRecord } from '../../domain/telemetry/records.js';

/** A job, message or transaction whose failure was logged, and its later success, if any. */
export interface FailedUnit {
  name: string;
  failedAt: number;
  /** The first success since the last failure. */
  succeededAt?: number;
  successes: number;
}

const LOOKED_AT = 1_000;
const MOST_UNITS = 2_000;
const MOST_IN_LINE = 8;

/** `align_chunk_17`, `ORD-4711`, `e91254`: a name with a number in it, and not a quantity. */
const NAMED = /(?<![\w.-])(?=[\w.-]*\d)(?=[\w.-]*[a-z])\w[\w.-]{3,80}\w(?![\w.-])/gi;
const AMOUNT = /^[\d.]+[a-z]{1,4}$/i;
/** `chunk 17`, `order #4711`. */
const NUMBERED =
  /\b(?:job|task|chunk|batch|run|step|order|message|file|part|build|transaction|request|import|export|payment|transfer|upload|shipment|document|report) ?#?\d{1,20}\b/gi;
const SUCCEEDED =
  /\b(?:succe(?:ss|ssful|ssfully|eded)|completed?|finished|done|recovered|passed|committed|delivered|ok)\b/i;
const DENIED = /\b(?:not|never|without|fail\w*|errors?|unsuccessful\w*|abort\w*|partial\w*)\b/i;

/** The names in a text that may be those of units of work. */
export const unitsIn = (text: string): string[] => {
  const looked = text.slice(0, LOOKED_AT);
  const named = (looked.match(NAMED) ?? []).filter((each) => !AMOUNT.test(each));
  return [...new Set([...named, ...(looked.match(NUMBERED) ?? [])])].slice(0, MOST_IN_LINE);
};

/** A host does something repeatedly; a unit of work is done once. */
const MOST_SUCCESSES = 3;

/** Whether a unit of work succeeded after it failed. */
export const hasRecovered = ({ succeededAt, successes }: FailedUnit): boolean =>
  succeededAt !== undefined && successes <= MOST_SUCCESSES;

/** Follows units of work from their failure to their success, in bounded memory. */
export class FailedUnits {
  private readonly units = new Map<string, FailedUnit>();

  /** Notes a line that is an error. @returns the units that failed */
  fail({ at, body }: LogRecord): FailedUnit[] {
    return unitsIn(body).flatMap((name) => {
      const known = this.units.get(name);
      if (known === undefined && this.units.size >= MOST_UNITS) return [];
      const unit = known ?? { name, failedAt: at, successes: 0 };
      this.units.set(name, unit);
      if (at < unit.failedAt) return [unit];
      unit.failedAt = at;
      unit.successes = 0;
      delete unit.succeededAt;
      return [unit];
    });
  }

  /** Notes a line that is no error: it may report that a unit succeeded. */
  pass({ at, body }: LogRecord): void {
    if (this.units.size === 0) return;
    const looked = body.slice(0, LOOKED_AT);
    if (!SUCCEEDED.test(looked) || DENIED.test(looked)) return;
    for (const name of unitsIn(looked)) {
      const unit = this.units.get(name);
      if (unit === undefined || at <= unit.failedAt) continue;
      unit.succeededAt ??= at;
      unit.successes += 1;
    }
  }
}
