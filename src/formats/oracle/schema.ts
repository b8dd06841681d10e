import { resultSource } from '../../domain/events/event-schemas.js';
import { anyObject, count, object, one, said, text } from '../../domain/json-schema.js';
import { typedFrames } from '../frame-schema.js';

const window = { context_tokens: count, 'max_context_tokens?': count };
/** The chunks of the oracle chat panel. */
export const schema = typedFrames({
  context_update: window,
  thinking: { content: said },
  content: { content: said },
  source: { source: object({ ...resultSource, source_path: text }) },
  tool_call: {
    tool_call: object({
      id: said,
      name: said,
      arguments: text,
      status: one('pending', 'completed', 'error'),
    }),
  },
  tool_result: { tool_call_id: said, tool_result: text },
  system: { system_type: said, system_message: said, content: said, 'metadata?': anyObject },
  error: { error: said },
  done: { tokens_used: count, 'model_used?': text, 'context_id?': text, ...window },
});
