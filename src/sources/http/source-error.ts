/** Why a source gave no answer: `refused`: the credential may not look, which says nothing about what is there. */
export type SourceFailure = 'unreachable' | 'refused' | 'failed';

/** A source could not be asked. The message has no credential. */
export class SourceError extends Error {
  constructor(
    readonly failure: SourceFailure,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
