/**
 * How an attempt ended that came to no answer: it failed, or whoever made it did not want it any more. Its tokens count; what it
 * said does not, and its turn is not over.
 */
export type BrokenOff = 'error' | 'aborted';

const KNOWN: Record<BrokenOff, true> = { error: true, aborted: true };

/** Whether the usage is of such an attempt. */
export const isBrokenOff = ({ finish_reason }: { finish_reason: string }): boolean =>
  Object.hasOwn(KNOWN, finish_reason);
