/**
 * Tokens per byte of UTF-8 before a provider has counted. Text has about a quarter in English and a
 * third in most other scripts; JSON with many numbers has more.
 */
export const INITIAL_TOKENS_PER_BYTE = 1 / 3;
const LEAST = 1 / 8;
const MOST = 1;
/** Minimum growth of a prompt, in bytes, for its growth to be used. */
const TELLING = 2_000;

/** A provider's token count: of the whole prompt, and its bytes. */
export interface PromptCount {
  tokens: number;
  bytes: number;
}

/** The estimated ratio of a model's tokens to bytes. Plain JSON, part of the blackboard. */
export interface Density {
  /** Tokens per byte, rounded up; null if no provider has counted yet. */
  perByte: number | null;
  last: PromptCount | null;
}

export const unknownDensity = (): Density => ({ perByte: null, last: null });

export const clampDensity = (value: number): number => Math.min(MOST, Math.max(LEAST, value));

/**
 * Updates the estimate with a provider's count: the greater of the ratio of the whole prompt and
 * that of the part added since the last count, because later parts resemble it. Until something was
 * added, the estimate is at least {@link INITIAL_TOKENS_PER_BYTE}. Earlier values fade slowly, so
 * that one prompt with few tokens does not distort the estimate.
 */
export function updateDensity({ perByte, last }: Density, counted: PromptCount): Density {
  if (counted.tokens <= 0 || counted.bytes <= 0) return { perByte, last };
  const whole = counted.tokens / counted.bytes;
  const bytes = last === null ? 0 : counted.bytes - last.bytes;
  const isTelling = last !== null && bytes >= TELLING && counted.tokens > last.tokens;
  const added = isTelling
    ? (counted.tokens - last.tokens) / bytes
    : (perByte ?? INITIAL_TOKENS_PER_BYTE);
  const seen = clampDensity(Math.max(whole, added));
  const faded =
    perByte === null ? seen : Math.max(seen, isTelling ? perByte * 0.9 + seen * 0.1 : perByte);
  return { perByte: faded, last: counted };
}

/** Estimated tokens of a number of bytes, rounded up. */
export const tokensOf = ({ perByte }: Density, bytes: number): number =>
  Math.ceil(bytes * (perByte ?? INITIAL_TOKENS_PER_BYTE));

/** Estimated bytes that fit into a number of tokens, rounded down. */
export const bytesOf = ({ perByte }: Density, tokens: number): number =>
  Math.floor(tokens / (perByte ?? INITIAL_TOKENS_PER_BYTE));
