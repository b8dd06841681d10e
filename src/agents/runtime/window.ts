import type { Blackboard } from '../../domain/blackboard.js';
import type { ModelEntry } from '../../models/models.js';

/**
 * Tokens: of a model, or of the one with the smallest window that may take its place; or less,
 * where a provider said so.
 */
export const windowOf = (
  chain: readonly ModelEntry[],
  { window }: Pick<Blackboard, 'window'>,
): number => Math.min(window ?? Infinity, ...chain.map(({ contextWindow }) => contextWindow));
