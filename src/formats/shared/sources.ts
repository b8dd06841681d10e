import type { ResultSource } from '../../domain/events/event.js';

/** Returns the sources of a result that were not sent before, each once, the best first. */
export function newSources(
  cited: readonly string[],
  sources: readonly ResultSource[],
): ResultSource[] {
  const best = new Map<string, ResultSource>();
  for (const source of sources) {
    const known = best.get(source.path);
    if (!cited.includes(source.path) && (known === undefined || known.score < source.score))
      best.set(source.path, source);
  }
  return [...best.values()].sort((a, b) => b.score - a.score);
}
