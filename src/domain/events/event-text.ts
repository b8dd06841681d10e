import type { NamedEvent } from './event.js';
import { textOf, type JsonObject } from '../../lib/json.js';

/** One line of text for an event; empty if it has none. */
export function eventText(event: NamedEvent): string {
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
      return typeof result === 'string'
        ? result
        : textOf(result as JsonObject, 'summary') || textOf(result as JsonObject, 'error');
    }
    case 'dispatch.team':
    case 'dispatch.worker':
      return event.data.task;
    case 'system.warning':
    case 'system.error':
    case 'system.approval':
    case 'system.decision':
      return event.data.message;
    case 'llm.usage':
    case 'system.topology':
      return '';
  }
}
