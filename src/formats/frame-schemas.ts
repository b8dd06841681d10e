import { finding, report, resultSource, usage } from '../domain/events/event-schemas.js';
import {
  anyObject,
  anything,
  count,
  flag,
  list,
  object,
  one,
  orNull,
  said,
  text,
  type JsonSchema,
} from '../domain/json-schema.js';
import type { Format } from './format.js';

type Kinds = Record<string, Record<string, JsonSchema>>;

const window = { context_tokens: count, 'max_context_tokens?': count };
const oracle: Kinds = {
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
};

const trouble = object({
  message: said,
  code: one('rate_limited', 'overloaded', 'ai_error', 'internal_error'),
  retryable: flag,
});
const agent: Kinds = {
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
};

const chat: Kinds = {
  message_start: { session_id: said },
  content_delta: { text: said },
  function_call: { id: said, name: said },
  function_result: { tool_use_id: said, name: said, result: text },
  message_end: { session_id: said, tokens_used: count, latency_ms: count },
  // The types of what is the only event of a stream have more: `rate_limit_exceeded` has `usage` and `limit`.
  error: { type: said, message: said, 'retryable?': flag },
};

const run = { threadId: said, runId: said };
const tokens = list(
  object({ model: said, inputTokens: count, outputTokens: count, totalTokens: count }),
);
/** Where it may be of somebody else than the agent at the top. */
const of = (keys: Record<string, JsonSchema>) => ({ ...keys, 'subagentRunId?': said });
const message = of({ messageId: said });
const agUi: Kinds = {
  RUN_STARTED: { protocolVersion: said, ...run },
  RUN_FINISHED: {
    ...run,
    outcome: object({ type: one('success', 'cancelled') }),
    'result?': anyObject,
    usage: tokens,
  },
  RUN_ERROR: { message: said, code: said, usage: tokens },
  TEXT_MESSAGE_START: { ...message, role: one('assistant') },
  TEXT_MESSAGE_CONTENT: { ...message, delta: said },
  TEXT_MESSAGE_END: message,
  REASONING_START: message,
  REASONING_MESSAGE_START: { ...message, role: one('reasoning') },
  REASONING_MESSAGE_CONTENT: { ...message, delta: said },
  REASONING_MESSAGE_END: message,
  REASONING_END: message,
  TOOL_CALL_START: of({ toolCallId: said, toolCallName: said }),
  TOOL_CALL_ARGS: of({ toolCallId: said, delta: said }),
  TOOL_CALL_END: of({ toolCallId: said }),
  TOOL_CALL_RESULT: { ...message, toolCallId: said, content: text, role: one('tool') },
  SUBAGENT_STARTED: {
    subagentRunId: said,
    name: said,
    description: text,
    'parentSubagentRunId?': said,
  },
  SUBAGENT_FINISHED: {
    subagentRunId: said,
    result: object({
      status: one('ok', 'partial'),
      reasons: list(text),
      summary: text,
      findings: list(finding),
    }),
  },
  SUBAGENT_ERROR: { subagentRunId: said, message: text, 'code?': said },
  CUSTOM: of({ name: said, value: anyObject }),
};

const block = { id: said };
const part = (data: JsonSchema) => ({ id: said, data });
const calling = { toolCallId: said, dynamic: flag, providerExecuted: flag };
const cited = { sourceId: said, title: text, providerMetadata: anyObject };
const card = {
  ...{
    dispatch_id: said,
    parent: orNull(text),
    agent_id: said,
    name: said,
    team_name: orNull(text),
    task: text,
  },
  ...{
    status: one('running', 'ok', 'partial', 'failed', 'interrupted'),
    'text?': text,
    'summary?': text,
    'reasons?': list(text),
  },
};
const toolCard = {
  tool_call_id: said,
  dispatch_id: said,
  tool: said,
  args: anyObject,
  status: said,
  'result?': anything,
};
const aiSdk: Kinds = {
  start: {
    messageId: said,
    messageMetadata: object({ runId: said, kind: one('diagnosis', 'chat') }),
  },
  'start-step': {},
  'finish-step': {},
  'text-start': block,
  'text-delta': { ...block, delta: said },
  'text-end': block,
  'reasoning-start': block,
  'reasoning-delta': { ...block, delta: said },
  'reasoning-end': block,
  'tool-input-available': { ...calling, toolName: said, input: anyObject },
  'tool-output-available': { ...calling, output: anything },
  'tool-output-error': { ...calling, errorText: said },
  'source-url': { ...cited, url: said },
  'source-document': { ...cited, mediaType: said },
  'data-topology': part(anyObject),
  'data-agent': part(object(card)),
  'data-tool': part(object(toolCard)),
  'data-notice': part(
    object({ level: one('warning', 'error'), agent_name: orNull(text), code: said, message: said }),
  ),
  'data-report': part(report),
  error: { errorText: said },
  abort: { reason: said },
  finish: {
    finishReason: one('stop', 'length', 'error'),
    messageMetadata: object({ runId: said, usage }),
  },
};

const KINDS: Record<Exclude<Format, 'executor' | 'flat'>, Kinds> = {
  oracle,
  agent,
  chat,
  'ag-ui': agUi,
  'ai-sdk': aiSdk,
};

/** The kinds of frames of a format with the schema of their `data`; `[DONE]` is none of them. Their name is the `event` of the frame in `chat`, else `data.type`. */
export function frameSchemas(format: keyof typeof KINDS): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(KINDS[format]).map(([name, keys]) => [
      name,
      object(format === 'chat' ? keys : { type: { const: name }, ...keys }),
    ]),
  );
}
