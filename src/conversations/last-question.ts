import { z } from 'zod';
import { messageSchema, parseBody } from './endpoints/parse-body.js';

const askedSchema = z.object({
  messages: z
    .string()
    .refine((text) => text !== '', {
      error: 'must have a message of the user with a text part; the last one is asked',
      abort: true,
    })
    .pipe(messageSchema),
});

/** Content is a text, or parts of which some are texts. */
function textIn(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .flatMap((part: { type?: unknown; text?: unknown } | null) =>
      part?.type === 'text' && typeof part.text === 'string' ? [part.text] : [],
    )
    .join('');
}

/** The last message of the user, of a whole conversation as a client sends it. @throws ConsiliumError VALIDATION_FAILED */
export function lastQuestion(messages: readonly { role: string; content: unknown }[]): string {
  const last = messages.findLast(({ role }) => role === 'user');
  return parseBody(askedSchema, { messages: textIn(last?.content) }).messages;
}
