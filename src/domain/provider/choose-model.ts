/**
 * Returns the time until which the breaker of a model is open, as far as known: ms since 1970; 0 if
 * it is closed.
 */
export type OpenUntil = (model: string) => number;

/**
 * Chooses the model to call: the first in the chain whose breaker is closed; if all are open, the
 * one that closes first.
 * @param chain not empty: the requested model, then its fallbacks
 */
export function chooseModel(chain: readonly string[], openUntil: OpenUntil, now: number): string {
  const [first, ...others] = chain;
  if (first === undefined) throw new RangeError('a chain of models is never empty');
  return (
    chain.find((model) => openUntil(model) <= now) ??
    others.reduce((best, next) => (openUntil(next) < openUntil(best) ? next : best), first)
  );
}
