/** Maximum of questions in one message that are answered one after the other. */
const MOST = 2;

/** How a question begins. */
const BEGIN =
  '(?:what|who|which|when|where|why|how|since when|is|are|was|were|does|do|did|has|have|can|could|should|will)';
const BETWEEN = new RegExp(
  `\\?+\\s+(?=\\S)|,?\\s+and\\s+(?=${BEGIN}\\b)|,\\s+(?=${BEGIN}\\b)`,
  'i',
);
const BEGINS = new RegExp(`^\\W*(?:(?:and|so|but|ok|okay)\\W+)*${BEGIN}(?:'?s)?\\b`, 'i');

/**
 * Returns the questions of a message that asks several: "is it down? who is affected?", "is it down
 * and since when?" A message with anything else than questions, or with many, is one.
 */
export function questionsIn(message: string): string[] {
  const parts = message.split(BETWEEN).filter((part) => /[\p{L}\p{N}]/u.test(part));
  const [first = '', ...rest] = parts;
  const areQuestions =
    BEGINS.test(first) && rest.every((part) => BEGINS.test(part) || /^\W*and\b/i.test(part));
  return areQuestions && parts.length <= MOST ? parts : [message];
}
