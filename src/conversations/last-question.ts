import type { z } from 'zod';
import { messageSchema } from './endpoints/schemas.js';

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

/**
 * The last message of the user, of a whole conversation as a client sends it. A message that is not
 * a valid question is an issue of `messages`.
 */
export function lastQuestion(
  messages: readonly { role: string; content: unknown }[],
  context: z.core.$RefinementCtx,
): string {
  const text = textIn(messages.findLast(({ role }) => role === 'user')?.content);
  const { error } = messageSchema.safeParse(text);
  const message =
    text === ''
      ? 'must have a message of the user with a text part; the last one is asked'
      : error?.issues[0]?.message;
  if (message !== undefined) context.addIssue({ code: 'custom', path: ['messages'], message });
  return text;
}
