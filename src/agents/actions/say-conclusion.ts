import type { DraftEvent } from '../../domain/events/event.js';
import { escapeMarkdown, unsaid } from '../../lib/markdown.js';
import type { AgentSession } from '../runtime/agent-session.js';

/**
 * The last events of an agent, with its conclusion also as text before its report, because some
 * consoles show only text. Text is Markdown, and a conclusion quotes measurements. Text that the
 * agent's model has just streamed is not repeated.
 */
export function sayConclusion(
  { source, turn, messages, place }: AgentSession,
  events: readonly DraftEvent[],
): DraftEvent[] {
  const last = events.at(-1);
  if (place.type === 'oracle' || !last) return [...events];
  if (last.name !== 'dispatch.report' && last.name !== 'lifecycle.completed') return [...events];
  const { summary } = last.data;
  const said = messages.findLast(
    (message) => message.role === 'assistant' && message.byService !== true,
  );
  const text = said?.role === 'assistant' ? said.text.trim() : '';
  const rest = unsaid(text, escapeMarkdown(summary)).trim();
  if (rest === '') return [...events];
  const content = text === '' ? rest : `\n\n${rest}`;
  // An agent may conclude before its first turn.
  const where = { ...turn, turn: Math.max(1, turn.turn) };
  const spoken: DraftEvent = { name: 'llm.stream', source, data: { content, ...where } };
  return [...events.slice(0, -1), spoken, last];
}
