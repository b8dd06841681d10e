import type { AgentSession } from '../runtime/agent-session.js';
import { emitAgentEvent } from '../notices/emit-agent-event.js';

/** Ends a turn: hands the model what it is to be told after the results, and at the turn's end. */
export function drainNotifications(
  session: AgentSession,
  path: string,
): 'success' | Promise<'success'> {
  const { board } = session;
  // Its model is not called again; what rules have to say of the end is said with the report.
  if (board.stop) return 'success';
  emitAgentEvent(session, 'agent.turn.end', { turn: board.turn });
  const { events, messages } = session.companion.tell(session, 'after_tool', 'turn_end');
  return session.recordAny(events, messages, path);
}
