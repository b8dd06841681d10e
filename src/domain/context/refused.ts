import { CAREFUL, clampDensity, type Density } from './density.js';

/** What a provider said of a prompt that was too long for it, as far as it said anything. */
export interface TooLong {
  /** Tokens that its window has, and that it counted. */
  most?: number;
  counted?: number;
}

/** A prompt that was nowhere near the window that was believed in was refused for another window. */
const NEAR = 0.6;
/** How much larger than the window a refused prompt is at least, if the provider gives no numbers. */
const OVER = 1.25;

/**
 * What a refusal teaches, so that the same prompt would not be sent again: of the model's window, and of how tokens relate
 * to bytes. Without numbers one of the two was wrong; how near the prompt was to the window shows which.
 * @param window tokens, as was believed
 * @param bytes of the prompt that was refused
 */
export function learnRefusal(
  density: Density,
  window: number,
  bytes: number,
  { most, counted }: TooLong,
): { density: Density; window: number } {
  const perByte = density.perByte ?? CAREFUL;
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

/** `208310 tokens > 200000 maximum`, `maximum context length is 8192 tokens. However, you requested 9000`: both numbers, where they are there. */
export function readTooLong(message: string): TooLong {
  const words = message.slice(0, 1_000);
  const numbers = [...words.matchAll(NUMBER)].map(([digits]) => numberOf(digits));
  const limit = LIMITS.map((pattern) => pattern.exec(words)?.[1]).find(
    (found) => found !== undefined,
  );
  // What a window has is less than what did not fit.
  const most =
    limit === undefined ? (numbers.length > 1 ? Math.min(...numbers) : undefined) : numberOf(limit);
  if (most === undefined) return {};
  // Other numbers are dates, names of models, ids.
  const counted = numbers.filter((number) => number > most && number <= FARTHEST * most);
  return counted.length > 0 ? { most, counted: Math.max(...counted) } : { most };
}

const FARTHEST = 10;
const NUMBER = /\d[\d,_]{2,}/g;
const numberOf = (digits: string): number => Number(digits.replaceAll(/[,_]/g, ''));

/** Where the window stands, in the usual words. */
const LIMITS = [
  />\s{0,3}(\d[\d,_]{2,})/,
  /maximum[^.\d]{0,60}? (?:is|of) (\d[\d,_]{2,})/i,
  /allowed \((\d[\d,_]{2,})/i,
  /context (?:length|window|limit|size)[^.\d]{0,30}(\d[\d,_]{2,})/i,
];
