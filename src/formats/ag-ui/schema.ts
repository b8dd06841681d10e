import { finding } from '../../domain/events/event-schemas.js';
import {
  anyObject,
  count,
  list,
  object,
  one,
  nonEmptyText,
  text,
  type JsonSchema,
} from '../../domain/json-schema.js';
import { typedFrames } from '../frame-schema.js';

const run = { threadId: nonEmptyText, runId: nonEmptyText };
const tokens = list(
  object({ model: nonEmptyText, inputTokens: count, outputTokens: count, totalTokens: count }),
);
/** Adds the id of the sub-agent, which frames of the top-level agent lack. */
const of = (keys: Record<string, JsonSchema>) => ({ ...keys, 'subagentRunId?': nonEmptyText });
const message = of({ messageId: nonEmptyText });
const interrupt = object({
  id: nonEmptyText,
  reason: one('tool_call'),
  message: nonEmptyText,
  toolCallId: nonEmptyText,
  responseSchema: anyObject,
  expiresAt: { type: 'string', format: 'date-time' },
  metadata: anyObject,
  'subagentRunId?': nonEmptyText,
});
/** The events of AG-UI 1.0 that this service sends. */
export const schema = typedFrames({
  RUN_STARTED: { protocolVersion: nonEmptyText, ...run },
  RUN_FINISHED: {
    ...run,
    outcome: {
      oneOf: [
        object({ type: one('success', 'cancelled') }),
        object({ type: one('interrupt'), interrupts: list(interrupt) }),
      ],
    },
    'result?': anyObject,
    usage: tokens,
  },
  RUN_ERROR: { message: nonEmptyText, code: nonEmptyText, usage: tokens },
  TEXT_MESSAGE_START: { ...message, role: one('assistant') },
  TEXT_MESSAGE_CONTENT: { ...message, delta: nonEmptyText },
  TEXT_MESSAGE_END: message,
  REASONING_START: message,
  REASONING_MESSAGE_START: { ...message, role: one('reasoning') },
  REASONING_MESSAGE_CONTENT: { ...message, delta: nonEmptyText },
  REASONING_MESSAGE_END: message,
  REASONING_END: message,
  TOOL_CALL_START: of({ toolCallId: nonEmptyText, toolCallName: nonEmptyText }),
  TOOL_CALL_ARGS: of({ toolCallId: nonEmptyText, delta: nonEmptyText }),
  TOOL_CALL_END: of({ toolCallId: nonEmptyText }),
  TOOL_CALL_RESULT: { ...message, toolCallId: nonEmptyText, content: text, role: one('tool') },
  SUBAGENT_STARTED: {
    subagentRunId: nonEmptyText,
    name: nonEmptyText,
    description: text,
    'parentSubagentRunId?': nonEmptyText,
  },
  SUBAGENT_FINISHED: {
    subagentRunId: nonEmptyText,
    'outcome?': object({ type: one('success', 'suspended') }),
    'result?': object({
      status: one('ok', 'partial'),
      reasons: list(text),
      summary: text,
      findings: list(finding),
    }),
  },
  SUBAGENT_ERROR: { subagentRunId: nonEmptyText, message: text, 'code?': nonEmptyText },
  CUSTOM: of({ name: nonEmptyText, value: anyObject }),
  ACTIVITY_SNAPSHOT: {
    messageId: nonEmptyText,
    activityType: one('PROVIDER_WAIT'),
    content: anyObject,
    replace: { const: true },
  },
});
