import { count, flag, list, said, text } from '../../domain/json-schema.js';
import { namedFrames } from '../frame-schema.js';

/** The events of chat front ends. */
export const schema = namedFrames({
  message_start: { session_id: said },
  content_delta: { text: said },
  function_call: { id: said, name: said },
  function_result: { tool_use_id: said, name: said, result: text },
  message_end: {
    session_id: said,
    tokens_used: count,
    latency_ms: count,
    'partial?': flag,
    'reasons?': list(text),
  },
  // An error that is the only event of a stream may have more keys: `rate_limit_exceeded` has `usage` and `limit`.
  error: { type: said, message: said, 'retryable?': flag },
});
