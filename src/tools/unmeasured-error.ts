/**
 * This service could not make a probe, or does not let it be made: nothing is known of the target,
 * and its node is unchecked (contract section 6). No tool makes an issue of it.
 */
export class UnmeasuredError extends Error {
  /** The reason in `unchecked`; absent: SOURCE_UNAVAILABLE. */
  readonly code?: string;
}
