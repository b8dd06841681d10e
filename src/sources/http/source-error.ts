/**
 * Why a source gave no answer. `refused`: the credential has no right to read, which shows nothing
 * about the content.
 */
export type SourceFailure = 'unreachable' | 'refused' | 'failed';

/** A source could not be read. The message has no credential. */
export class SourceError extends Error {
  /**
   * @param options.status of the HTTP answer, if there was one
   * @param options.isTooLarge the answer was larger than what is read
   * @param options.otherProtocol the text for a server that does not use the protocol of the source
   * @param options.isClosed the connection was closed before the first answer
   * @param options.waitedMs of a time-out: how long was waited
   * @param options.source the id of the source, which the message names
   */
  constructor(
    readonly failure: SourceFailure,
    message: string,
    readonly options: ErrorOptions & {
      status?: number;
      isTooLarge?: true;
      otherProtocol?: string;
      isClosed?: true;
      waitedMs?: number;
      source?: string;
    } = {},
  ) {
    super(message, options);
  }

  get status(): number | undefined {
    return this.options.status;
  }
}

/** The same error, whose message begins with the id of the source. */
export const errorOfSource = (source: string, error: SourceError): SourceError =>
  error.options.source !== undefined
    ? error
    : new SourceError(error.failure, `source ${source}: ${error.message}`, {
        ...error.options,
        source,
      });

/** Why a node could not be read, if several of its sources failed: `refused` only if all refuse. */
export const joinedError = (a: SourceError, b: SourceError): SourceError =>
  new SourceError(a.failure === b.failure ? a.failure : 'failed', `${a.message}; ${b.message}`, {
    ...a.options,
    cause: b,
  });
