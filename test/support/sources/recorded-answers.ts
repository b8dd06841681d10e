import { tellingLines } from '../../../src/engine/kubernetes/telling-lines.js';

/** The answer of a tool, as a recording holds it. */
export const answerOf = (tool: string, output: string, args: Record<string, unknown> = {}) => ({
  tool,
  args,
  status: 'success',
  output,
});
type Answer = ReturnType<typeof answerOf>;
/** The lines that show what is wrong. */
export const found = (question: string, ...answers: Answer[]) => tellingLines(answers, question);
export const firstOf = (question: string, ...answers: Answer[]) => found(question, ...answers)[0];
