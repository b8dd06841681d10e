import { emitAgentEvent } from '../notices/emit-agent-event.js';
import type { Action } from './action.js';

/**
 * Ends a turn: delivers to the model the notices that are due after the tools and at the end of the
 * turn.
 */
export const drainNotifications: Action = {
  name: 'drain-notifications',
  run({ session }, state) {
    // The model is not called again; notices of rules about the end are part of the report.
    if (state.stop) return { outcome: 'success' };
    const draft = session.draft(state);
    emitAgentEvent(draft, 'agent.turn.end', { turn: state.turn });
    const notices = draft.notifier.notify(draft, 'after_tool', 'turn_end');
    return { outcome: 'success', state: draft.board, ...notices };
  },
};
