/**
 * The warning threshold of a limit: `floor(limit × percent / 100)`, at least 1 (contract section
 * 4).
 */
export const softLimit = (limit: number, percent: number): number =>
  Math.max(1, Math.floor((limit * percent) / 100));
