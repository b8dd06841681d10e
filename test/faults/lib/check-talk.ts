import { z } from 'zod';

/** A conversation as its person has led it. */
export interface Talk {
  id: string;
  caller: string;
  /** Accepted messages, oldest first, each with the run that answers it. */
  turns: { message: string; runId: string }[];
}

const shownSchema = z.object({
  messages: z.array(
    z.object({
      role: z.enum(['user', 'assistant']),
      content: z.string(),
      run_id: z.string(),
      partial: z.boolean(),
    }),
  ),
});

/**
 * Every accepted message is in its conversation once, in its place, with one whole answer of its
 * own run.
 * @param shown the conversation as the service shows it
 * @returns what was broken
 */
export function checkTalk({ id, turns }: Talk, shown: unknown): string[] {
  const parsed = shownSchema.safeParse(shown);
  if (!parsed.success) return turns.length > 0 ? [`conversation ${id}: it is not there`] : [];
  const { messages } = parsed.data;
  const problems: string[] = [];
  if (messages.length !== 2 * turns.length)
    problems.push(`it shows ${messages.length} messages for ${turns.length} turns`);
  turns.forEach(({ message, runId }, i) => {
    const [question, answer] = messages.slice(2 * i);
    if (question?.role !== 'user' || question.content !== message || question.run_id !== runId)
      problems.push(`message ${i} is not shown in its place`);
    if (answer?.role !== 'assistant' || answer.run_id !== runId || answer.content === '')
      problems.push(`message ${i} has no answer of its run`);
    else if (answer.partial) problems.push(`the answer to message ${i} is not whole`);
  });
  return problems.map((problem) => `conversation ${id}: ${problem}`);
}
