import { usage } from '../../domain/events/event-schemas.js';
import { anyObject, flag, object, one, nonEmptyText, text } from '../../domain/json-schema.js';
import { typedFrames } from '../frame-schema.js';

const failure = object({
  message: nonEmptyText,
  code: one('rate_limited', 'overloaded', 'ai_error', 'internal_error'),
  retryable: flag,
});
/** The events of the agent chat. */
export const schema = typedFrames({
  stream_start: {},
  text_start: {},
  text_delta: { delta: nonEmptyText },
  text_end: {},
  reasoning_start: {},
  reasoning_delta: { delta: nonEmptyText },
  reasoning_end: {},
  tool_call: { tool_id: nonEmptyText, tool_name: nonEmptyText, arguments: anyObject },
  tool_progress: {
    tool_id: nonEmptyText,
    tool_name: nonEmptyText,
    message: nonEmptyText,
    'run_id?': nonEmptyText,
  },
  tool_result: { tool_id: nonEmptyText, tool_name: nonEmptyText, result: text, successful: flag },
  stream_end: { reason: one('stop', 'limit', 'cancelled'), usage },
  error: { error: failure },
});
