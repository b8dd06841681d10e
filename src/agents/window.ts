import type { Blackboard } from '../domain/blackboard.js';
import type { ModelEntry } from '../models/models.js';

/** Tokens: of the model, or of the one with the smallest window that may take its place; or less, where a provider said so. */
export const windowOf = ({ chain, board }: { chain: readonly ModelEntry[]; board: Pick<Blackboard, 'window'> }): number =>
  Math.min(board.window ?? Infinity, ...chain.map(({ contextWindow }) => contextWindow));
