import type { ModelEntry } from '../models/models.js';

/** Tokens: of the model, or of the one with the smallest window that may take its place. */
export const windowOf = (chain: readonly ModelEntry[]): number => Math.min(...chain.map(({ contextWindow }) => contextWindow));
