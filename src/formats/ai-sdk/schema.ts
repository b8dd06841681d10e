import { report, usage } from '../../domain/events/event-schemas.js';
import {
  anyObject,
  anything,
  flag,
  list,
  object,
  one,
  orNull,
  said,
  text,
  type JsonSchema,
} from '../../domain/json-schema.js';
import { typedFrames } from '../frame-schema.js';

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
/** The chunks of the UI message stream that this service sends. */
export const schema = typedFrames({
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
});
