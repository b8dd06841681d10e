import type { Prices } from '../providers/model-settings.js';

/** Tokens of one model call. */
export interface TurnUsage {
  /** All tokens of the prompt, including those read from or written to a cache. */
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  /** True if the provider reported no count: estimated from the length of the texts. */
  estimated: boolean;
}

/** Returns the cost of a call in the currency of the prices, rounded to eight decimals. */
export function costOf(
  { input, output, cacheRead, cacheWrite }: TurnUsage,
  prices: Prices,
): number {
  const plain = Math.max(0, input - cacheRead - cacheWrite);
  const perMillion =
    plain * prices.input +
    cacheRead * (prices.cacheRead ?? prices.input) +
    cacheWrite * (prices.cacheWrite ?? prices.input) +
    output * prices.output;
  return Math.round(perMillion * 100) / 100_000_000;
}
