/** Average characters of a token, for texts without a token count. */
const CHARS_PER_TOKEN = 4;

/** @param length in UTF-16 code units */
export const estimateTokens = (length: number): number => Math.ceil(length / CHARS_PER_TOKEN);
