/** Characters that a token has on average, where nobody has counted. */
const CHARS_PER_TOKEN = 4;

/** @param length in UTF-16 code units */
export const estimateTokens = (length: number): number => Math.ceil(length / CHARS_PER_TOKEN);
