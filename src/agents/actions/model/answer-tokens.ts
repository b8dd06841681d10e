/** Tokens that an answer may need, where nothing bounds it to fewer: so many are kept free in the window, and reserved of the budget. */
export const ANSWER_TOKENS = 4_096;
