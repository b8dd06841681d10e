import { z } from 'zod';
import { ConsiliumError } from '../domain/errors.js';
import { fitsIn } from '../domain/wording.js';
import { isConversationId } from './conversation.js';

const MOST_CHARACTERS = 10_000;
/** Neither space nor control nor zero-width. */
const VISIBLE = /[^\s\p{Cc}\p{Cf}]/u;

/** 1 to 10,000 code points, not blank. */
export const messageSchema = z
  .string('must be a text')
  .refine((text) => VISIBLE.test(text) && fitsIn(text, MOST_CHARACTERS), 'must be a text that is not blank, of at most 10,000 characters');

export const conversationIdSchema = z
  .string('must be a text')
  .refine(isConversationId, 'must be 1 to 128 letters, digits and any of "_", "-", "." and ":"');

export const contextIdSchema = z
  .string('must be a text')
  .regex(/^[A-Za-z0-9_.:-]{1,128}(~[0-9a-f]{12})?$/, 'must be a context_id as `done` or `lifecycle.started` told it');

export const topologyIdSchema = z.int('must be a positive integer').min(1, 'must be a positive integer');

/** Checks a body; what is not in the schema is ignored. @throws ConsiliumError VALIDATION_FAILED with every fault */
export function parseBody<T>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => ({ path: path.join('.') || 'body', message }));
  throw new ConsiliumError('VALIDATION_FAILED', 'The request is not valid', { faults });
}
