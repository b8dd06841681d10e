/** Until when the breaker of a model is open, as far as it is known: ms since 1970; 0 where it is closed. */
export type OpenUntil = (model: string) => number;

/**
 * The model to call: the first of the chain that may be called; where none may, the one that may again the soonest.
 * @param chain not empty: the model that was asked for, then its fallbacks
 */
export function chooseModel(chain: readonly string[], openUntil: OpenUntil, now: number): string {
  const [first, ...others] = chain;
  if (first === undefined) throw new RangeError('a chain of models is never empty');
  return (
    chain.find((model) => openUntil(model) <= now) ??
    others.reduce((best, next) => (openUntil(next) < openUntil(best) ? next : best), first)
  );
}
