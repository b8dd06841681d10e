import type { Action } from '../../domain/limits/repetition.js';
import { repeatedAction } from '../../domain/limits/repetition.js';
import type { AgentSession } from '../runtime/agent-session.js';
import type { Message } from '../runtime/conversation.js';
import { errorLimit, noProgress } from './limit-notices.js';
import { reachedLimit } from './limits-reached.js';

/** Tool errors, one after the other, that end an agent's work. */
const ERRORS = 3;

type Result = Extract<Message, { role: 'result' }>;

/**
 * When the results of a turn are in: ends the work of an agent that does the same thing again and again, or whose tools fail
 * one after the other. Limits go before that, and are the next turn's business. Contract section 4.
 */
export function checkProgress(session: AgentSession, path: string): 'success' | Promise<'success'> {
  const { board } = session;
  if (board.stop || reachedLimit(session) !== null) return 'success';
  const repeated = repeatedAction(actionsOf(session.messages).flat());
  const errors = repeated === null ? lastErrors(session.messages) : [];
  if (repeated === null && errors.length < ERRORS) return 'success';

  board.stop = true;
  board.reasons.push(repeated === null ? 'ERROR_LIMIT' : 'NO_PROGRESS');
  const event =
    repeated === null
      ? errorLimit(session, errors.length, ERRORS, errors.at(-1) ?? '')
      : noProgress(session, repeated);
  return session.recordAny([event], [], path);
}

/** What was called in each turn, oldest first. */
export const actionsOf = (messages: readonly Message[]): Action[][] =>
  messages.flatMap((message) => (message.role === 'assistant' ? [message.calls] : []));

/** The errors that the last calls came back with, in the order of the calls, since the last that did not. */
function lastErrors(messages: readonly Message[]): string[] {
  const results = new Map(
    messages.flatMap((message) =>
      message.role === 'result' ? [[message.id, message] as const] : [],
    ),
  );
  const errors: string[] = [];
  for (const { id } of messages
    .flatMap((message) => (message.role === 'assistant' ? message.calls : []))
    .reverse()) {
    const result = results.get(id);
    if (!result || !isError(result)) break;
    errors.unshift(errorText(result));
  }
  return errors;
}

/** One that was cut off by the end of its process is nobody's error. */
const isError = ({ failed, interrupted }: Result): boolean => failed && interrupted !== true;

function errorText({ output }: Result): string {
  if (typeof output === 'string') return output;
  const error =
    typeof output === 'object' && output !== null && !Array.isArray(output)
      ? output['error']
      : undefined;
  return typeof error === 'string' ? error : JSON.stringify(output);
}
