import type { AnswerInput } from '../answer-input.js';
import { NoAnswerError, LookUp, SeveralFit } from '../facts.js';
import type { Intent } from '../intents/intent.js';
import type { MarkdownText } from '../replies/markdown-text.js';

/** Maximum of topologies for which one question is answered. */
const MOST = 5;

/**
 * Answers a question; if several topologies have what it names, for each of them where the intent
 * allows it.
 */
export function answerEach(intent: Intent, asked: AnswerInput): string | MarkdownText {
  try {
    return intent.answer(asked);
  } catch (error) {
    if (!(error instanceof SeveralFit) || intent.isOfEach !== true) throw error;
    if (error.topologies.length > MOST) throw error;
    return ofSeveral(intent, asked, error);
  }
}

function ofSeveral({ answer }: Intent, asked: AnswerInput, { topologies }: SeveralFit): string {
  const missing: LookUp['calls'] = [];
  // The words that name topologies have done so.
  const question = { ...asked.question, rest: '' };
  const unanswered: string[] = [];
  const parts = topologies.flatMap(({ id, name }) => {
    try {
      const said = answer({ ...asked, question: { ...question, topologyIds: [id] } });
      return [`${name} (topology ${id}): ${typeof said === 'string' ? said : said.markdown}`];
    } catch (error) {
      if (error instanceof LookUp) missing.push(...error.calls);
      else if (!(error instanceof NoAnswerError)) throw error;
      unanswered.push(error.message);
      return [];
    }
  });
  // What is missing is looked up for all at once.
  if (missing.length > 0) throw new LookUp(missing);
  return [...parts, ...unanswered].join('\n');
}
