import type { ModelEntry } from '../../../models/models.js';

/** Tokens of an answer if the model has no setting of its own. */
const ANSWER_TOKENS = 4_096;
/** An answer has at most this share of the window. */
const ANSWER_SHARE = 0.25;

/**
 * The maximum tokens of an answer: reserved in the window and in the budget, and sent as
 * `max_tokens`.
 * @param window tokens
 */
export const answerTokens = (entry: ModelEntry | undefined, window: number): number =>
  Math.max(1, Math.min(entry?.maxOutputTokens ?? ANSWER_TOKENS, Math.floor(window * ANSWER_SHARE)));
