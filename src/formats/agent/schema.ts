import { usage } from '../../domain/events/event-schemas.js';
import { anyObject, flag, object, one, said, text } from '../../domain/json-schema.js';
import { typedFrames } from '../frame-schema.js';

const trouble = object({
  message: said,
  code: one('rate_limited', 'overloaded', 'ai_error', 'internal_error'),
  retryable: flag,
});
/** The events of the agent chat. */
export const schema = typedFrames({
  stream_start: {},
  text_start: {},
  text_delta: { delta: said },
  text_end: {},
  reasoning_start: {},
  reasoning_delta: { delta: said },
  reasoning_end: {},
  tool_call: { tool_id: said, tool_name: said, arguments: anyObject },
  tool_result: { tool_id: said, tool_name: said, result: text, successful: flag },
  stream_end: { reason: one('stop', 'limit', 'cancelled'), usage },
  error: { error: trouble },
});
