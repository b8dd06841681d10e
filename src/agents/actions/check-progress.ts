import {
  repeatedAction,
  type RepeatableCall as Repeatable,
} from '../../domain/limits/repetition.js';
import type { Message } from '../runtime/conversation.js';
import type { AgentSession } from '../runtime/agent-session.js';
import type { Action, CompletedAction } from './action.js';
import { errorLimit, noProgress } from './limit-notices.js';
import { reachedLimit } from './limits-reached.js';
import { needsReview, reviewReport } from './review-report.js';

/** Number of consecutive turns in which every call failed that ends an agent's work. */
const FAILED_TURNS = 3;

type Result = Extract<Message, { role: 'result' }>;

/**
 * Ends the work of an agent that repeats itself, or whose calls all fail for several turns. A limit
 * that is reached takes precedence: the next turn reports it. A report with unsupported claims is
 * returned to its model. Contract section 4.
 */
export const checkProgress: Action = {
  name: 'check-progress',
  run({ session, ports }, state) {
    if (!needsReview(session)) return progressOf(session);
    const draft = session.draft(state);
    return reviewReport(draft, ports.log).then((faulty) => faulty ?? progressOf(draft));
  },
};

/** Makes its own draft, since it rarely changes anything. */
function progressOf(session: AgentSession): CompletedAction {
  const { messages } = session;
  if (session.board.stop || reachedLimit(session) !== null) return { outcome: 'success' };
  const repeated = repeatedAction(actionsOf(messages));
  const errors = repeated === null ? lastErrors(messages) : [];
  if (repeated === null && errors.length < FAILED_TURNS) return { outcome: 'success' };

  const draft = session.draft();
  const { board } = draft;
  board.stop = true;
  board.reasons.push(repeated === null ? 'ERROR_LIMIT' : 'NO_PROGRESS');
  const event =
    repeated === null
      ? errorLimit(draft, errors.length, FAILED_TURNS, errors.at(-1) ?? '')
      : noProgress(draft, repeated);
  return { outcome: 'success', state: board, events: [event] };
}

/** The calls of each turn, oldest first. */
export const actionsOf = (messages: readonly Message[]): Repeatable[][] =>
  messages.flatMap((message) => (message.role === 'assistant' ? [message.calls] : []));

/** The last error of each of the latest turns in which every call failed, oldest first. */
function lastErrors(messages: readonly Message[]): string[] {
  const results = new Map(
    messages.flatMap((message) =>
      message.role === 'result' ? [[message.id, message] as const] : [],
    ),
  );
  const errors: string[] = [];
  for (const calls of actionsWithIds(messages).reverse()) {
    const failed = calls.map((id) => results.get(id)).filter((result) => result && isError(result));
    const last = failed.at(-1);
    if (!last || failed.length < calls.length) break;
    errors.unshift(errorText(last));
  }
  return errors;
}

/** The ids of the calls of each turn that has any. */
const actionsWithIds = (messages: readonly Message[]): string[][] =>
  messages.flatMap((message) =>
    message.role === 'assistant' && message.calls.length > 0
      ? [message.calls.map(({ id }) => id)]
      : [],
  );

/** A call that was cut off by the end of its process is not an error of the agent. */
const isError = ({ failed, interrupted }: Result): boolean => failed && interrupted !== true;

function errorText({ output }: Result): string {
  if (typeof output === 'string') return output;
  const error =
    typeof output === 'object' && output !== null && !Array.isArray(output)
      ? output['error']
      : undefined;
  return typeof error === 'string' ? error : JSON.stringify(output);
}
