import type { JsonSchema } from '../event-schemas.js';
import type { Format } from './format.js';

/** The keys that each kind of frame has beside its name, in the formats that are not the events themselves. */
const KEYS: Record<Exclude<Format, 'executor' | 'flat'>, Record<string, readonly string[]>> = {
  oracle: {
    context_update: ['context_tokens'],
    thinking: ['content'],
    content: ['content'],
    source: ['source'],
    tool_call: ['tool_call'],
    tool_result: ['tool_call_id', 'tool_result'],
    system: ['system_type', 'system_message', 'content'],
    error: ['error'],
    done: ['tokens_used', 'context_tokens'],
  },
  agent: {
    stream_start: [],
    text_start: [],
    text_delta: ['delta'],
    text_end: [],
    reasoning_start: [],
    reasoning_delta: ['delta'],
    reasoning_end: [],
    tool_call: ['tool_id', 'tool_name', 'arguments'],
    tool_result: ['tool_id', 'tool_name', 'result', 'successful'],
    stream_end: ['reason', 'usage'],
    error: ['error'],
  },
  chat: {
    message_start: ['session_id'],
    content_delta: ['text'],
    function_call: ['id', 'name'],
    function_result: ['tool_use_id', 'name', 'result'],
    message_end: ['session_id', 'tokens_used', 'latency_ms'],
    error: ['type', 'message'],
  },
  'ag-ui': {
    RUN_STARTED: ['threadId', 'runId'],
    RUN_FINISHED: ['threadId', 'runId', 'outcome'],
    RUN_ERROR: ['message', 'code'],
    TEXT_MESSAGE_START: ['messageId', 'role'],
    TEXT_MESSAGE_CONTENT: ['messageId', 'delta'],
    TEXT_MESSAGE_END: ['messageId'],
    REASONING_START: ['messageId'],
    REASONING_MESSAGE_START: ['messageId', 'role'],
    REASONING_MESSAGE_CONTENT: ['messageId', 'delta'],
    REASONING_MESSAGE_END: ['messageId'],
    REASONING_END: ['messageId'],
    TOOL_CALL_START: ['toolCallId', 'toolCallName'],
    TOOL_CALL_ARGS: ['toolCallId', 'delta'],
    TOOL_CALL_END: ['toolCallId'],
    TOOL_CALL_RESULT: ['messageId', 'toolCallId', 'content'],
    SUBAGENT_STARTED: ['subagentRunId', 'name'],
    SUBAGENT_FINISHED: ['subagentRunId', 'result'],
    SUBAGENT_ERROR: ['subagentRunId', 'message'],
    CUSTOM: ['name', 'value'],
  },
  'ai-sdk': {
    start: ['messageId', 'messageMetadata'],
    'start-step': [],
    'finish-step': [],
    'text-start': ['id'],
    'text-delta': ['id', 'delta'],
    'text-end': ['id'],
    'reasoning-start': ['id'],
    'reasoning-delta': ['id', 'delta'],
    'reasoning-end': ['id'],
    'tool-input-available': ['toolCallId', 'toolName', 'input'],
    'tool-output-available': ['toolCallId', 'output'],
    'tool-output-error': ['toolCallId', 'errorText'],
    'source-url': ['sourceId', 'url'],
    'source-document': ['sourceId', 'mediaType', 'title'],
    'data-topology': ['id', 'data'],
    'data-agent': ['id', 'data'],
    'data-tool': ['id', 'data'],
    'data-notice': ['id', 'data'],
    'data-report': ['id', 'data'],
    error: ['errorText'],
    abort: ['reason'],
    finish: ['finishReason', 'messageMetadata'],
  },
};

/** The kinds of frames of a format with the schema of their `data`; `[DONE]` is none of them. Their name is the `event` of the frame in `chat`, else `data.type`. */
export function frameSchemas(format: Exclude<Format, 'executor' | 'flat'>): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(KEYS[format]).map(([name, keys]): [string, JsonSchema] =>
      format === 'chat'
        ? [name, { type: 'object', ...(keys.length > 0 && { required: keys }) }]
        : [name, { type: 'object', required: ['type', ...keys], properties: { type: { const: name } } }],
    ),
  );
}
