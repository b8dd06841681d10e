import { z } from 'zod';
import { ConsiliumError } from '../../domain/errors.js';
import { fitsIn } from '../../lib/text.js';
import { isConversationId } from '../conversation.js';

const MOST_CHARACTERS = 10_000;
/** Neither space nor control nor zero-width. */
const VISIBLE = /[^\s\p{Cc}\p{Cf}]/u;

/** 1 to 10,000 code points, not blank. */
export const messageSchema = z
  .string('must be a text')
  .refine(
    (text) => VISIBLE.test(text) && fitsIn(text, MOST_CHARACTERS),
    'must be a text that is not blank, of at most 10,000 characters',
  )
  .meta({ minLength: 1, maxLength: MOST_CHARACTERS });

/** A text of 1 to so many characters. By `refine`: zod's own `min` looks at the `length` of what is no text at all, too. */
export const shortText = (most: number, message = `must be a text of 1 to ${most} characters`) =>
  z
    .string(message)
    .refine((text) => text !== '' && text.length <= most, message)
    .meta({ minLength: 1, maxLength: most });

/** What a client has of a conversation: one message at least. */
export const messagesOf = <T extends z.ZodType>(message: T) =>
  z.array(message).refine((list) => list.length > 0, 'must have a message of the user');

export const conversationIdSchema = z
  .string('must be a text')
  .refine(isConversationId, 'must be 1 to 128 letters, digits and any of "_", "-", "." and ":"');

export const contextIdSchema = z
  .string('must be a text')
  .regex(
    /^[A-Za-z0-9_.:-]{1,128}(~[0-9a-f]{12})?$/,
    'must be a context_id as `done` or `lifecycle.started` told it',
  );

export const topologyIdSchema = z
  .int('must be a positive integer')
  .min(1, 'must be a positive integer');

/** Checks a body; what is not in the schema is ignored. @throws ConsiliumError VALIDATION_FAILED with every fault */
export function parseBody<T>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body, { error: inHouseWords });
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => ({
    path: path.join('.') || 'body',
    message,
  }));
  throw new ConsiliumError('VALIDATION_FAILED', 'The request is not valid', { faults });
}

const WORDS: Partial<Record<string, string>> = {
  array: 'must be a list',
  boolean: 'must be true or false',
  number: 'must be a number',
  object: 'must be an object',
  record: 'must be an object',
  string: 'must be a text',
};

/** What is allowed, where the schema does not say it itself. */
function inHouseWords(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code !== 'invalid_type') return undefined;
  return (issue.path ?? []).length === 0 ? 'must be a JSON object' : WORDS[issue.expected];
}
