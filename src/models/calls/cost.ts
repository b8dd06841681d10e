import type { Prices } from '../providers/model-settings.js';

/** Tokens of one model call. */
export interface TurnUsage {
  /** All of the prompt, what came from a cache and went to one included. */
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  /** The provider did not say: counted from the length of the texts. */
  estimated: boolean;
}

/** What a call cost, in the currency of the prices; to a millionth of a cent. */
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
