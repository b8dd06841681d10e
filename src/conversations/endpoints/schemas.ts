import { z } from 'zod';
import { MESSAGE_CHARACTERS } from '../../domain/run.js';
import { fitsIn } from '../../lib/text.js';
import { isConversationId } from '../conversation.js';

/** No space, control or zero-width characters. */
const VISIBLE = /[^\s\p{Cc}\p{Cf}]/u;

/** A text of 1 to so many code points that is not blank. */
export const messageOf = (most: number) =>
  z
    .string('must be a text')
    .refine(
      (text) => VISIBLE.test(text) && fitsIn(text, most),
      `must be a non-blank text of at most ${most.toLocaleString('en')} characters`,
    )
    .meta({ minLength: 1, maxLength: most });

export const messageSchema = messageOf(MESSAGE_CHARACTERS);

/**
 * A text with a maximum number of characters. Uses `refine`: zod's own `min` also reads the
 * `length` of values that are not texts.
 */
export const shortText = (most: number, message = `must be a text of 1 to ${most} characters`) =>
  z
    .string(message)
    .refine((text) => text !== '' && text.length <= most, message)
    .meta({ minLength: 1, maxLength: most });

export const conversationIdSchema = z
  .string('must be a text')
  .refine(isConversationId, 'must be 1 to 128 letters, digits and any of "_", "-", "." and ":"');

export const CONTEXT_FORM = 'must be a context_id as `done` or `lifecycle.started` gave it';

export const contextIdSchema = z
  .string('must be a text')
  .regex(/^[A-Za-z0-9_.:-]{1,128}(~[0-9a-f]{12})?$/, CONTEXT_FORM);

/** The run that the person looks at. */
export const runIdSchema = z
  .string('must be the id of a run')
  .regex(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'must be the id of a run')
  .meta({ description: 'The run that the person looks at: the answer is about it' });

export const topologyIdSchema = z
  .int('must be a positive integer')
  .min(1, 'must be a positive integer');

/** What happens to a turn that no client has followed for 10 s. */
export const onDisconnectSchema = z.enum(['continue', 'cancel'], 'must be "continue" or "cancel"');

/** The messages of a whole conversation, as a client sends them; at least one. */
export const messagesOf = <T extends z.ZodType>(message: T) =>
  z.array(message).refine((list) => list.length > 0, 'must have a message of the user');
