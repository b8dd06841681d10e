import type { MarkdownText } from '../replies/markdown-text.js';
import type { AnswerInput } from '../answer-input.js';
import type { Reach } from '../reading/understands.js';

/**
 * A kind of question: its pattern, its vocabulary, an example, and the function that answers it.
 */
export interface Intent extends Reach {
  pattern: RegExp;
  example?: string;
  /** It may name other topologies than that of the chat. Absent: it is about one. */
  isOfSeveral?: true;
  /** If several topologies have what it names, it is answered for each of them. */
  isOfEach?: true;
  /** A further condition for a question that matches the pattern. Absent: none. */
  fits?: (asked: AnswerInput) => boolean;
  /** @throws LookUp if a fact is missing, Instead if there is no answer */
  answer: (asked: AnswerInput) => string | MarkdownText;
}
