import type { NamedEvent } from '../../domain/event.js';
import { textOf, type Json, type JsonObject } from '../../domain/json.js';
import { clip } from '../../domain/wording.js';

const LONGEST = 600;

/** What is said of an event where there is room for a line: who, and what it comes to. */
export function excerptOf(event: NamedEvent): string {
  const who = event.source === null ? '' : `${event.source.agent_name}: `;
  return `${event.name} ${who}${clip(wordsOf(event).replace(/\s+/g, ' ').trim(), LONGEST)}`.trim();
}

function wordsOf(event: NamedEvent): string {
  switch (event.name) {
    case 'lifecycle.started':
      return event.data.user_message;
    case 'lifecycle.completed':
      return event.data.summary;
    case 'lifecycle.failed':
      return `${event.data.code} ${event.data.error}`;
    case 'lifecycle.cancelled':
      return event.data.reason;
    case 'llm.stream':
      return event.data.content;
    case 'llm.reasoning':
      return event.data.thought;
    case 'llm.tool_call':
      return `${event.data.tool}(${JSON.stringify(event.data.args)})`;
    case 'llm.tool_result':
      return `${event.data.tool}${event.data.status === 'ok' ? '' : ` (${event.data.status})`}: ${resultWords(event.data.result)}`;
    case 'llm.usage':
      return `${event.data.model}, ${event.data.input_tokens} + ${event.data.output_tokens} tokens`;
    case 'dispatch.team':
      return `sends ${event.data.team_name}: ${event.data.task}`;
    case 'dispatch.worker':
      return `sends ${event.data.worker_name}: ${event.data.task}`;
    case 'dispatch.report':
      return `reports ${event.data.status}: ${event.data.summary}`;
    case 'system.topology':
      return JSON.stringify(event.data.hierarchy);
    case 'system.warning':
    case 'system.error':
      return `${event.data.code} ${event.data.message}`;
  }
}

/** A measurement's summary with what is wrong, or what a failed call says; else the whole. */
function resultWords(result: Json): string {
  const { summary, error, issues } = typeof result === 'object' && !Array.isArray(result) ? (result ?? {}) : {};
  if (typeof summary === 'string') {
    const details = Array.isArray(issues)
      ? issues.map((issue) => textOf(issue as JsonObject, 'detail')).filter((detail) => detail !== '')
      : [];
    return [summary, ...details].join(' ');
  }
  return typeof error === 'string' ? error : JSON.stringify(result);
}
