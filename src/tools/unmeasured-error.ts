/**
 * This service could not make a probe, or does not allow it: nothing is known about the target, and
 * its node is unchecked (contract section 6). No tool converts it to an issue.
 */
export class UnmeasuredError extends Error {
  /** The reason in `unchecked`; absent: SOURCE_UNAVAILABLE. */
  readonly code?: string;
}
