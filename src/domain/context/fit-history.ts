import type { PastMessage } from '../chat/chat.js';
import { utf8Length } from '../events/serialise-payload.js';

/** Bytes that a protocol adds to a message. */
export const MESSAGE_OVERHEAD_BYTES = 60;

/**
 * Selects the latest whole exchanges of a conversation that fit. The first message then tells how
 * many were left out.
 * @param most bytes
 */
export function fitHistory(history: readonly PastMessage[], most: number): readonly PastMessage[] {
  let room = most;
  let from = history.length;
  for (let end = history.length; end > 0; end = from) {
    const begin = startOfExchange(history, end);
    room -= history
      .slice(begin, end)
      .reduce((sum, { text }) => sum + utf8Length(text) + MESSAGE_OVERHEAD_BYTES, 0);
    if (room < 0) break;
    from = begin;
  }
  if (from === 0) return history;
  const left = `[${from} earlier messages of this conversation were left out, to save room]`;
  const [first, ...rest] = history.slice(from);
  return first
    ? [{ ...first, text: `${left}\n\n${first.text}` }, ...rest]
    : [{ role: 'user', text: left }];
}

function startOfExchange(history: readonly PastMessage[], end: number): number {
  let begin = end - 1;
  while (begin > 0 && history[begin]?.role !== 'user') begin--;
  return begin;
}
