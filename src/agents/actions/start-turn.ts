import { receiveNotices } from '../../domain/notifications/deferred-notice.js';
import { softLimit } from '../../domain/limits/soft-limit.js';
import { tokenCeiling } from '../../domain/limits/token-shares.js';
import type { DraftEvent } from '../../domain/events/event.js';
import type { AgentSession } from '../runtime/agent-session.js';
import { emitAgentEvent } from '../notices/emit-agent-event.js';
import type { Action } from './action.js';
import { iterationWarning, timeNote, tokenNote } from './limit-notices.js';
import { reachedLimit } from './limits-reached.js';
import { once } from './once.js';

/** The share of its time after which the model is warned of its deadline. */
const LATE = 0.8;

/**
 * Begins a turn, and warns the model of a limit that is near. If a limit is reached, sets `reached`
 * and counts no turn.
 */
export const startTurn: Action = {
  name: 'start-turn',
  run({ session }, state) {
    const draft = session.draft(state);
    const { board, spec } = draft;
    board.reached = reachedLimit(draft);
    if (board.reached !== null || board.stop) return { outcome: 'success', state: board };
    board.turn++;

    const { maxIterations, softWarningPercent } = spec.limits;
    const events: DraftEvent[] = [];
    if (board.turn === 1)
      receiveNotices(board.notifications, spec.chat?.carried ?? [], draft.now());
    emitAgentEvent(draft, 'agent.turn.start', { turn: board.turn });
    if (board.turn >= softLimit(maxIterations, softWarningPercent) && once(board, 'iteration')) {
      const { message, event } = iterationWarning(draft);
      events.push(event);
      emitAgentEvent(draft, 'budget.iteration.warning', { message });
    }
    const note = nearTokens(draft);
    if (note !== null && once(board, 'token'))
      emitAgentEvent(draft, 'budget.token.warning', { message: note });
    if (isLate(draft) && once(board, 'time'))
      emitAgentEvent(draft, 'budget.timeout.warning', { message: timeNote(draft) });
    const notices = draft.notifier.notify(draft, 'turn_start');
    events.push(...notices.events);
    return { outcome: 'success', state: board, events, messages: notices.messages };
  },
};

/** The usage event warns people of tokens; this warns a model, of its part of the budget. */
function nearTokens({ writer, shares, place, spec }: AgentSession): string | null {
  const ceiling = tokenCeiling(shares, place.type);
  return writer.tokens >= softLimit(ceiling, spec.limits.tokenWarningPercent)
    ? tokenNote(writer.tokens, ceiling)
    : null;
}

const isLate = ({ deadlineAt, createdAt, now }: AgentSession): boolean =>
  now() - createdAt >= (deadlineAt - createdAt) * LATE;
