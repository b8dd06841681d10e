import type { DraftEvent } from '../../domain/events/event.js';
import { escapeMarkdown } from '../../lib/markdown.js';
import type { AgentSession } from '../runtime/agent-session.js';

/**
 * The last events of an agent, with its conclusion also as text before its report: consoles that do not show reports show text.
 * Text is Markdown, a conclusion quotes what was measured. An agent whose model has just streamed the same text does not repeat it.
 */
export function sayConclusion(
  { source, turn, messages, place }: AgentSession,
  events: readonly DraftEvent[],
): DraftEvent[] {
  const last = events.at(-1);
  if (place.type === 'oracle' || !last) return [...events];
  if (last.name !== 'dispatch.report' && last.name !== 'lifecycle.completed') return [...events];
  const { summary } = last.data;
  const said = messages.findLast((message) => message.role === 'assistant');
  const text = said?.role === 'assistant' ? said.text.trim() : '';
  const escaped = escapeMarkdown(summary);
  const isSaid = text !== '' && (summary.startsWith(text) || escaped.startsWith(text));
  if (summary === '' || isSaid) return [...events];
  const content = text === '' ? escaped : `\n\n${escaped}`;
  // An agent may conclude before its first turn.
  const where = { ...turn, turn: Math.max(1, turn.turn) };
  const spoken: DraftEvent = { name: 'llm.stream', source, data: { content, ...where } };
  return [...events.slice(0, -1), spoken, last];
}
