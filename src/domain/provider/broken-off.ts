/**
 * The end of an attempt without an answer: it failed, or its caller cancelled it. Its tokens count,
 * its text does not, and its turn is not over.
 */
export type BrokenOff = 'error' | 'aborted';

const KNOWN: Record<BrokenOff, true> = { error: true, aborted: true };

/** Whether a usage event belongs to such an attempt. */
export const isBrokenOff = ({ finish_reason }: { finish_reason: string }): boolean =>
  Object.hasOwn(KNOWN, finish_reason);
