import { eventText } from '../../../domain/events/event-text.js';
import type { NamedEvent } from '../../../domain/events/event.js';
import { textOf, type Json, type JsonObject } from '../../../lib/json.js';
import { clip } from '../../../lib/text.js';

const LONGEST = 600;

/** An event in one line: the agent, and the outcome. */
export function excerptOf(event: NamedEvent): string {
  const who = event.source === null ? '' : `${event.source.agent_name}: `;
  return `${event.name} ${who}${clip(wordsOf(event).replace(/\s+/g, ' ').trim(), LONGEST)}`.trim();
}

function wordsOf(event: NamedEvent): string {
  const text = eventText(event);
  switch (event.name) {
    case 'lifecycle.failed':
    case 'system.warning':
    case 'system.error':
      return `${event.data.code} ${text}`;
    case 'llm.tool_call':
      return `${text}(${JSON.stringify(event.data.args)})`;
    case 'llm.tool_result': {
      const { tool, status, result } = event.data;
      const details = detailsIn(result);
      return `${tool}${status === 'ok' ? '' : ` (${status})`}: ${text || JSON.stringify(result)}${details && `. ${details}`}`;
    }
    case 'llm.usage':
      return `${event.data.model}, ${event.data.input_tokens} + ${event.data.output_tokens} tokens`;
    case 'dispatch.team':
      return `sends ${event.data.team_name}: ${text}`;
    case 'dispatch.worker':
      return `sends ${event.data.worker_name}: ${text}`;
    case 'dispatch.report':
      return `reports ${event.data.status}: ${text}`;
    case 'system.topology':
      return JSON.stringify(event.data.hierarchy);
    case 'system.approval':
    case 'system.decision':
    case 'lifecycle.started':
    case 'lifecycle.completed':
    case 'lifecycle.cancelled':
    case 'llm.stream':
    case 'llm.reasoning':
      return text;
  }
}

/** One line for each issue of a measurement. */
function detailsIn(result: Json): string {
  const { issues } = typeof result === 'object' && !Array.isArray(result) ? (result ?? {}) : {};
  return Array.isArray(issues)
    ? issues.map((issue) => textOf(issue as JsonObject, 'detail')).join(' ')
    : '';
}
