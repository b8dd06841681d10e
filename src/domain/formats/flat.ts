import type { NamedEvent } from '../event.js';
import { textOf, type JsonObject } from '../json.js';
import type { Encoder } from './encoder.js';

/** The text of an event, for a console that shows a line for each. */
function contentOf(event: NamedEvent): string {
  switch (event.name) {
    case 'lifecycle.started':
      return event.data.user_message;
    case 'lifecycle.completed':
    case 'dispatch.report':
      return event.data.summary;
    case 'lifecycle.failed':
      return event.data.error;
    case 'lifecycle.cancelled':
      return event.data.reason;
    case 'llm.stream':
      return event.data.content;
    case 'llm.reasoning':
      return event.data.thought;
    case 'llm.tool_call':
      return event.data.tool;
    case 'llm.tool_result': {
      const { result } = event.data;
      return typeof result === 'string' ? result : textOf(result as JsonObject, 'summary') || textOf(result as JsonObject, 'error');
    }
    case 'dispatch.team':
    case 'dispatch.worker':
      return event.data.task;
    case 'system.warning':
    case 'system.error':
      return event.data.message;
    case 'llm.usage':
    case 'system.topology':
      return '';
  }
}

const DATA = '"},"data":';

/** The event as the log has it, with the same again in flat keys. What the log says is spliced in, not written anew. */
export const flat: Encoder<null> = {
  start: null,
  next(state, event, json) {
    const { source, run_id: runId, name: type } = event;
    const keys = {
      type,
      runId,
      agentId: source?.agent_id ?? null,
      agentName: source?.agent_name ?? null,
      agentType: source?.agent_type ?? null,
      teamName: source?.team_name ?? null,
      content: contentOf(event) ?? '',
    };
    const metadata = json.slice(json.indexOf(DATA) + DATA.length, -1);
    return [state, [{ event: type, data: `${json.slice(0, -1)},${JSON.stringify(keys).slice(1, -1)},"metadata":${metadata}}` }]];
  },
};
