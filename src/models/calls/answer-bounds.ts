/** UTF-16 code units of the arguments of one call. */
export const MOST_ARGUMENTS = 65_536;
/** Calls of one answer that are worked on. */
export const MOST_CALLS = 200;

/**
 * Bytes of a line of the stream: it may repeat the tools of the request and a whole answer. Longer
 * lines would stall the process.
 */
const MOST_LINE_BYTES = 2 ** 20;
const LINE_ENVELOPE_BYTES = 2 ** 18;
const LINE_BYTES_PER_TOKEN = 32;
/**
 * Maximum bytes of an answer whose length is not limited by its request, and of the envelope of
 * every other.
 */
const MOST_BYTES = 32 * 2 ** 20;
const ENVELOPE_BYTES = 2 ** 20;
/** A token may be a line of its own, with the fields that a provider repeats in each. */
const BYTES_PER_TOKEN = 1_024;
/** Estimated tokens of an answer whose length is not bounded by its request. */
const MOST_TOKENS = 262_144;
/** Added to each answer, because the tokens of a short text are estimated least exactly. */
const SPARE_TOKENS = 1_024;

/** How much of an answer is read. */
export interface AnswerBounds {
  /** Tokens, estimated from the length of the answer. */
  tokens: number;
  bytes: number;
  lineBytes: number;
}

/**
 * The bounds of an answer. An estimate is not exact, so that an answer may have twice the tokens
 * that it was asked to have at most: only a provider that ignores this figure goes beyond.
 * @param asked `max_tokens` of the request; undefined if it has none
 */
export function boundsOf(asked: number | undefined): AnswerBounds {
  const tokens = Math.min(MOST_TOKENS, 2 * (asked ?? MOST_TOKENS) + SPARE_TOKENS);
  const bytes = Math.min(MOST_BYTES, ENVELOPE_BYTES + tokens * BYTES_PER_TOKEN);
  const line = LINE_ENVELOPE_BYTES + tokens * LINE_BYTES_PER_TOKEN;
  return { tokens, bytes, lineBytes: Math.min(MOST_LINE_BYTES, line) };
}

/** Counts the bytes of an answer while they arrive. */
export class ByteCount {
  private bytes = 0;
  private line = 0;

  constructor(private readonly most: Pick<AnswerBounds, 'bytes' | 'lineBytes'>) {}

  /** @returns the bound that the answer is beyond, as an error message names it */
  add(chunk: Uint8Array): string | undefined {
    this.bytes += chunk.length;
    const end = chunk.lastIndexOf(0x0a);
    this.line = end < 0 ? this.line + chunk.length : chunk.length - end - 1;
    if (this.line > this.most.lineBytes) return `a line of more than ${this.most.lineBytes} bytes`;
    return this.bytes > this.most.bytes ? `more than ${this.most.bytes} bytes` : undefined;
  }
}
