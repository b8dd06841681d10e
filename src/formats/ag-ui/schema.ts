import { finding } from '../../domain/events/event-schemas.js';
import {
  anyObject,
  count,
  list,
  object,
  one,
  said,
  text,
  type JsonSchema,
} from '../../domain/json-schema.js';
import { typedFrames } from '../frame-schema.js';

const run = { threadId: said, runId: said };
const tokens = list(
  object({ model: said, inputTokens: count, outputTokens: count, totalTokens: count }),
);
/** Adds the id of the sub-agent, which frames of the top-level agent lack. */
const of = (keys: Record<string, JsonSchema>) => ({ ...keys, 'subagentRunId?': said });
const message = of({ messageId: said });
/** The events of AG-UI 1.0 that this service sends. */
export const schema = typedFrames({
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
});
