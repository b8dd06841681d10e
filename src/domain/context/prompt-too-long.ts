import { INITIAL_TOKENS_PER_BYTE, clampDensity, type Density } from './density.js';

/** The numbers in a provider's error for a prompt that is too long. */
export interface TooLong {
  /** Tokens of the window, and of the prompt. */
  most?: number;
  counted?: number;
}

/**
 * A refused prompt smaller than this share of the assumed window means that the window is smaller
 * than assumed.
 */
const NEAR = 0.6;
/** Minimum ratio of a refused prompt to the window if the provider gives no numbers. */
const OVER = 1.25;

/**
 * Learns from a refused prompt, so that it is not sent again: the model's window, and the ratio of
 * tokens to bytes. Without numbers, one of the two was wrong; the size of the prompt relative to
 * the window shows which.
 * @param window assumed window in tokens
 * @param bytes of the refused prompt
 */
export function learnFromRefusal(
  density: Density,
  window: number,
  bytes: number,
  { most, counted }: TooLong,
): { density: Density; window: number } {
  const perByte = density.perByte ?? INITIAL_TOKENS_PER_BYTE;
  const estimate = perByte * bytes;
  const believed =
    most ??
    (counted !== undefined || estimate >= NEAR * window ? window : Math.floor(estimate / OVER));
  const atLeast = Math.max(counted ?? 0, believed * OVER);
  const learned = clampDensity(Math.max(perByte, atLeast / Math.max(1, bytes)));
  return {
    density: { ...density, perByte: learned },
    window: Math.min(window, believed, Math.ceil(learned * bytes) - 1),
  };
}

/**
 * Reads the numbers of `208310 tokens > 200000 maximum` or `maximum context length is 8192 tokens.
 * However, you requested 9000`.
 */
export function readTooLong(message: string): TooLong {
  const words = message.slice(0, 1_000);
  const numbers = [...words.matchAll(NUMBER)].map(([digits]) => numberOf(digits));
  const limit = LIMITS.map((pattern) => pattern.exec(words)?.[1]).find(
    (found) => found !== undefined,
  );
  // The window is smaller than the prompt.
  const most =
    limit === undefined ? (numbers.length > 1 ? Math.min(...numbers) : undefined) : numberOf(limit);
  if (most === undefined) return {};
  // Other numbers are dates, model names or ids.
  const counted = numbers.filter((number) => number > most && number <= FARTHEST * most);
  return counted.length > 0 ? { most, counted: Math.max(...counted) } : { most };
}

const FARTHEST = 10;
const NUMBER = /\d[\d,_]{2,}/g;
const numberOf = (digits: string): number => Number(digits.replaceAll(/[,_]/g, ''));

/** Usual phrases for the window. */
const LIMITS = [
  />\s{0,3}(\d[\d,_]{2,})/,
  /maximum[^.\d]{0,60}? (?:is|of) (\d[\d,_]{2,})/i,
  /allowed \((\d[\d,_]{2,})/i,
  /context (?:length|window|limit|size)[^.\d]{0,30}(\d[\d,_]{2,})/i,
];
