/**
 * Tokens for a byte of UTF-8. Text of any kind has about a quarter in English and a third in most other scripts; JSON with
 * many numbers has more. The careful beginning, where no provider has counted yet.
 */
export const CAREFUL = 1 / 3;
const LEAST = 1 / 8;
const MOST = 1;
/** Bytes that must have come to a prompt before its growth says anything. */
const TELLING = 2_000;

/** What a provider has counted: of the whole prompt, and how much of it that was by our measure. */
export interface Counted {
  tokens: number;
  bytes: number;
}

/** What is known of how a model's tokens relate to bytes. Plain JSON, a part of the blackboard. */
export interface Density {
  /** Tokens for a byte, on the careful side; null: no provider has counted yet. */
  perByte: number | null;
  last: Counted | null;
}

export const unknownDensity = (): Density => ({ perByte: null, last: null });

export const clampDensity = (value: number): number => Math.min(MOST, Math.max(LEAST, value));

/**
 * Learns from a count of a provider's: the greater of what the whole prompt has and of what was added since the last count,
 * since what comes next is more like that. Until something was added, what comes next may be of another kind: then it is not
 * taken for less than the careful beginning. What was learned fades only slowly, so that one easy turn does not mislead the estimate.
 */
export function learn({ perByte, last }: Density, counted: Counted): Density {
  if (counted.tokens <= 0 || counted.bytes <= 0) return { perByte, last };
  const whole = counted.tokens / counted.bytes;
  const bytes = last === null ? 0 : counted.bytes - last.bytes;
  const isTelling = last !== null && bytes >= TELLING && counted.tokens > last.tokens;
  const added = isTelling ? (counted.tokens - last.tokens) / bytes : (perByte ?? CAREFUL);
  const seen = clampDensity(Math.max(whole, added));
  const faded =
    perByte === null ? seen : Math.max(seen, isTelling ? perByte * 0.9 + seen * 0.1 : perByte);
  return { perByte: faded, last: counted };
}

/** About how many tokens so many bytes are; on the careful side. */
export const tokensOf = ({ perByte }: Density, bytes: number): number =>
  Math.ceil(bytes * (perByte ?? CAREFUL));

/** About how many bytes fit into so many tokens; on the careful side. */
export const bytesOf = ({ perByte }: Density, tokens: number): number =>
  Math.floor(tokens / (perByte ?? CAREFUL));
