import type { AgentSession } from './agent-session.js';
import { happened } from './happened.js';

/** Ends a turn: hands the model what it is to be told after the results, and at the turn's end. */
export async function drainNotifications(session: AgentSession, path: string): Promise<'success'> {
  const { board } = session;
  // Its model is not called again; what rules have to say of the end is said with the report.
  if (board.stop) return 'success';
  happened(session, 'agent.turn.end', { turn: board.turn });
  const { events, messages } = session.companion.tell(session, 'after_tool', 'turn_end');
  if (events.length + messages.length > 0) await session.record(events, messages, path);
  return 'success';
}
