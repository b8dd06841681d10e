import { report, usage } from '../../domain/events/event-schemas.js';
import {
  anyObject,
  anything,
  flag,
  list,
  object,
  one,
  orNull,
  nonEmptyText,
  text,
  type JsonSchema,
} from '../../domain/json-schema.js';
import { typedFrames } from '../frame-schema.js';

const block = { id: nonEmptyText };
const part = (data: JsonSchema) => ({ id: nonEmptyText, data });
const calling = { toolCallId: nonEmptyText, dynamic: flag, providerExecuted: flag };
const cited = { sourceId: nonEmptyText, title: text, providerMetadata: anyObject };
const card = {
  dispatch_id: nonEmptyText,
  parent: orNull(text),
  agent_id: nonEmptyText,
  name: nonEmptyText,
  team_name: orNull(text),
  task: text,
  status: one('running', 'ok', 'partial', 'failed', 'interrupted'),
  'text?': text,
  'summary?': text,
  'reasons?': list(text),
};
const toolCard = {
  tool_call_id: nonEmptyText,
  dispatch_id: nonEmptyText,
  tool: nonEmptyText,
  args: anyObject,
  status: nonEmptyText,
  'result?': anything,
};
/** The chunks of the UI message stream that this service sends. */
export const schema = typedFrames({
  start: {
    messageId: nonEmptyText,
    messageMetadata: object({ runId: nonEmptyText, kind: one('diagnosis', 'chat') }),
  },
  'start-step': {},
  'finish-step': {},
  'text-start': block,
  'text-delta': { ...block, delta: nonEmptyText },
  'text-end': block,
  'reasoning-start': block,
  'reasoning-delta': { ...block, delta: nonEmptyText },
  'reasoning-end': block,
  'tool-input-available': { ...calling, toolName: nonEmptyText, input: anyObject },
  'tool-output-available': { ...calling, output: anything },
  'tool-output-error': { ...calling, errorText: nonEmptyText },
  'tool-output-denied': { toolCallId: nonEmptyText },
  'tool-approval-request': { approvalId: nonEmptyText, toolCallId: nonEmptyText },
  'source-url': { ...cited, url: nonEmptyText },
  'source-document': { ...cited, mediaType: nonEmptyText },
  'data-topology': part(anyObject),
  'data-agent': part(object(card)),
  'data-tool': part(object(toolCard)),
  'data-notice': part(
    object({
      level: one('warning', 'error'),
      agent_name: orNull(text),
      code: nonEmptyText,
      message: nonEmptyText,
    }),
  ),
  'data-report': part(report),
  error: { errorText: nonEmptyText },
  abort: { reason: nonEmptyText },
  finish: {
    finishReason: one('stop', 'length', 'error'),
    messageMetadata: object({ runId: nonEmptyText, usage }),
  },
});
