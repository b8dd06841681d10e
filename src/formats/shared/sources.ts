import type { ResultSource } from '../../domain/events/event.js';
import { LISTED } from '../../domain/events/source-scores.js';

/**
 * Returns the sources of the results so far, each path once with its best score, in the order of
 * their first appearance.
 */
export function addSources(
  before: readonly ResultSource[],
  sources: readonly ResultSource[],
): readonly ResultSource[] {
  if (sources.length === 0) return before;
  const best = new Map(before.map((source) => [source.path, source]));
  for (const source of sources) {
    const known = best.get(source.path);
    if (known === undefined || known.score < source.score) best.set(source.path, source);
  }
  return [...best.values()];
}

/** Maximum of sources of a whole answer. */
const MOST = 8;

/**
 * Returns the sources of a whole answer, the best first, at most 8. Sources that were only listed
 * are omitted if another one was read; of several lists those with the best score count, because
 * the others only led to them.
 */
export function answerSources(sources: readonly ResultSource[]): ResultSource[] {
  const best = Math.max(...sources.map(({ score }) => score));
  const counts = (score: number) => score > LISTED || score === best;
  return sources
    .filter(({ score }) => counts(score))
    .toSorted((a, b) => b.score - a.score)
    .slice(0, MOST);
}
