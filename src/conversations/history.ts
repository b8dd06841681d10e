import type { TurnAnswer } from '../formats/shared/answer-of.js';
import { REMIND_TOOL } from '../domain/notifications/deferral.js';
import type { PastMessage } from '../domain/chat/chat.js';
import type { Exchange } from './conversation.js';

/** Maximum UTF-16 code units of a conversation that a model receives: its latest part. */
const MOST = 60_000;

/**
 * Whether exchanges looked something up, or may have. The calls of an answer without token counts
 * are unknown: an earlier version stored it, or it comes from the built-in planner, which answers
 * from stored data.
 */
export const hasRead = (answers: Iterable<TurnAnswer>): boolean =>
  [...answers].some(
    ({ content, usage, tool_calls: calls = [] }) =>
      (content !== '' && usage === undefined) || calls.some(({ tool }) => tool !== REMIND_TOOL),
  );

/** A path of exchanges as messages for a model: the latest ones that fit. */
export function historyOf(
  path: readonly (readonly [string, Exchange])[],
  answers: ReadonlyMap<string, TurnAnswer>,
): PastMessage[] {
  const messages: PastMessage[] = [];
  let room = MOST;
  for (const [contextId, { question }] of path.toReversed()) {
    const answer = answers.get(contextId);
    const text = answer?.content ?? '';
    const whole =
      answer?.partial === false
        ? text || '(There was no answer.)'
        : `${text}\n\n(This answer was cut off.)`.trim();
    room -= question.length + whole.length;
    if (room < 0) break;
    messages.unshift({ role: 'user', text: question }, { role: 'assistant', text: whole });
  }
  return messages;
}
