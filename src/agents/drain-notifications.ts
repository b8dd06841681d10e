import type { AgentSession } from './agent-session.js';

/** Hands the model what it is to be told after the results of a turn. */
export async function drainNotifications(session: AgentSession, path: string): Promise<'success'> {
  const { board } = session;
  if (board.notes.length === 0 || board.stop) return 'success';
  const notes = board.notes.map((text) => ({ role: 'note' as const, text }));
  board.notes = [];
  await session.record([], notes, path);
  return 'success';
}
