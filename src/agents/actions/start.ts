import { clip } from '../../lib/text.js';
import { emitAgentEvent } from '../notices/emit-agent-event.js';
import type { Action } from './action.js';

/** Begins an agent's work; an oracle may continue a conversation. */
export const start: Action = {
  name: 'start',
  run({ session }, state) {
    const draft = session.draft(state);
    draft.board.startedAt = draft.now();
    emitAgentEvent(draft, 'query.start', { message: clip(session.task, 300) });
    const before = session.spec.chat?.history.length ?? 0;
    if (before > 0)
      emitAgentEvent(draft, 'session.resumed', {
        message: `the conversation continues; ${before} earlier messages`,
      });
    return { outcome: 'success', state: draft.board };
  },
};
