import type { Blackboard } from '../../domain/blackboard.js';
import type { ModelEntry } from '../../models/models.js';

/**
 * Tokens of a model's window, or of the smallest window among its replacements; or less, if a
 * provider reported less.
 */
export const windowOf = (
  chain: readonly ModelEntry[],
  { window }: Pick<Blackboard, 'window'>,
): number => Math.min(window ?? Infinity, ...chain.map(({ contextWindow }) => contextWindow));
