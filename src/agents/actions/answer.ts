import type { DraftEvent, Turn } from '../../domain/events/event.js';
import { isTerminalStatus, type RunStatus } from '../../domain/run-status.js';
import { iso } from '../../lib/iso.js';
import { answersIn } from '../runtime/calls-of.js';
import { unanswered } from '../runtime/unanswered.js';
import type { Action } from './action.js';
import { atEnd } from './at-end.js';
import type { AgentSession } from '../runtime/agent-session.js';

/**
 * The last step of the oracle: ends the turn of the conversation. Text that was streamed stays,
 * however the turn ended.
 */
export const answer: Action = {
  name: 'answer',
  run({ session }, state) {
    const draft = session.draft(state);
    const { board, source } = draft;
    const reasons = [...new Set(board.reasons)];
    const text = textOf(draft);
    const note = board.failure ? '' : incompleteNote(draft, reasons);
    const content = text === '' || note === '' ? note : `\n\n${note}`;
    const events: DraftEvent[] = [
      ...unanswered(board, source, null),
      ...atEnd(draft),
      ...(content === ''
        ? []
        : [{ name: 'llm.stream' as const, source, data: { content, ...firstTurn(draft.turn) } }]),
    ];
    const done: DraftEvent = board.failure
      ? {
          name: 'lifecycle.failed',
          source,
          data: {
            error: board.failure.message,
            code: board.failure.code,
            retryable: board.failure.retryable,
            report: null,
            ...(board.failure.retryAt !== undefined && { retry_at: iso(board.failure.retryAt) }),
          },
        }
      : {
          name: 'lifecycle.completed',
          source,
          data: {
            summary: `${text}${content}` || 'The turn ended before there was an answer.',
            report: null,
            partial: reasons.length > 0,
            reasons,
          },
        };
    return { outcome: 'success', last: true, state: board, events: [...events, done] };
  },
};

/** A turn may end before its model was called. */
const firstTurn = (turn: Turn): Turn => ({ ...turn, turn: Math.max(1, turn.turn) });

/** Reports to the person, in every stream format, that the answer is incomplete, and why. */
function incompleteNote(draft: AgentSession, reasons: readonly string[]): string {
  const { board, spec } = draft;
  const { maxIterations, tokenBudget, timeoutSeconds } = spec.limits;
  const limits = {
    iteration: `its limit of ${maxIterations} turns was reached`,
    token: `its budget of ${tokenBudget.toLocaleString('en-US')} tokens was used up`,
    timeout: `its time limit of ${timeoutSeconds} s was reached`,
    log: 'the log of its run is nearly full',
  };
  const why: Record<string, string> = {
    LIMIT_REACHED: limits[board.reached ?? 'token'],
    LOG_LIMIT: limits.log,
    ERROR_LIMIT: 'its calls failed repeatedly',
    NO_PROGRESS: 'it stopped making progress',
    ANSWER_CUT: 'the model ended it at its length limit',
  };
  const known = reasons.flatMap((reason) => why[reason] ?? []);
  if (known.length === 0) return '';
  const going = runsGoingOn(draft.messages).map((id) => ` The diagnosis continues: run ${id}.`);
  return `(This answer is incomplete: ${known.join(', ')}.${going.join('')})`;
}

/** The runs that the turn started or followed and whose end it has not read. */
function runsGoingOn(messages: AgentSession['messages']): string[] {
  const seen = answersIn(messages)
    .filter(({ tool, failed }) => !failed && /^(?:start|follow)_diagnosis$/.test(tool))
    .map(({ output }) => output as { run_id?: string; status?: RunStatus });
  const going = new Map(seen.map(({ run_id, status }) => [run_id, status]));
  return [...going].flatMap(([id, status]) =>
    id === undefined || status === undefined || isTerminalStatus(status) ? [] : [id],
  );
}

/** The texts of all model turns of this chat turn. The last one may be incomplete. */
const textOf = ({ messages, scratch, board }: AgentSession): string =>
  [
    ...messages.flatMap((message) => (message.role === 'assistant' ? [message.text] : [])),
    board.reached === null ? '' : scratch.unfinished,
  ]
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .join('\n\n');
