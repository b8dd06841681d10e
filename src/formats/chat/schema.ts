import { count, flag, list, nonEmptyText, text } from '../../domain/json-schema.js';
import { namedFrames } from '../frame-schema.js';

/** The events of chat front ends. */
export const schema = namedFrames({
  message_start: { session_id: nonEmptyText },
  content_delta: { text: nonEmptyText },
  function_call: { id: nonEmptyText, name: nonEmptyText },
  function_progress: {
    tool_use_id: nonEmptyText,
    name: nonEmptyText,
    message: nonEmptyText,
    'run_id?': nonEmptyText,
  },
  function_result: { tool_use_id: nonEmptyText, name: nonEmptyText, result: text },
  message_end: {
    session_id: nonEmptyText,
    tokens_used: count,
    latency_ms: count,
    'partial?': flag,
    'reasons?': list(text),
  },
  // An error that is the only event of a stream may have more keys: `rate_limit_exceeded` has
  // `usage` and `limit`.
  error: { type: nonEmptyText, message: nonEmptyText, 'retryable?': flag },
});
