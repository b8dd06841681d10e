import { resultSource } from '../../domain/events/event-schemas.js';
import { anyObject, count, object, one, nonEmptyText, text } from '../../domain/json-schema.js';
import { typedFrames } from '../frame-schema.js';

const window = { context_tokens: count, 'max_context_tokens?': count };
/** The chunks of the oracle chat panel. */
export const schema = typedFrames({
  context_update: window,
  thinking: { content: nonEmptyText },
  content: { content: nonEmptyText },
  source: { source: object({ ...resultSource, source_path: text }) },
  tool_call: {
    tool_call: object({
      id: nonEmptyText,
      name: nonEmptyText,
      arguments: text,
      status: one('pending', 'completed', 'error'),
    }),
  },
  tool_result: { tool_call_id: nonEmptyText, tool_result: text },
  system: {
    system_type: nonEmptyText,
    system_message: nonEmptyText,
    content: nonEmptyText,
    'metadata?': anyObject,
  },
  error: { error: nonEmptyText },
  done: { tokens_used: count, 'model_used?': text, 'context_id?': text, ...window },
});
