/** Characters that control a terminal, or the order in which others are shown. */
const CONTROLS = /(?![\n\t])[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/** The text of a model without control characters; newlines and tabs are kept. */
export const plainText = (text: string): string => text.replace(CONTROLS, '');
