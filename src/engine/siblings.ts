import type { ObservedNode } from './observations.js';

/** `-1`, `_b`, `03` at the end of a name: the number of the instance. */
const WHICH = /(?:[-_.]?\d{1,4}|[-_.][a-z])$/i;

/**
 * The common key of nodes that do the same work: their kind and the first word of their names, or,
 * if no kind is known, their names without a number or letter at the end.
 */
export function sortOf({ id, kind }: Pick<ObservedNode, 'id' | 'kind'>): string {
  const stem = id.replace(WHICH, '');
  const [first = stem] = stem.split(/[-_.]/);
  return kind === undefined ? stem : `${kind} ${first}`;
}
