import { clip } from '../../lib/text.js';
import type { AgentSession } from '../runtime/agent-session.js';
import { emitAgentEvent } from '../notices/emit-agent-event.js';

/** An agent begins its work; an oracle may go on with a conversation. */
export function start(session: AgentSession): 'success' {
  emitAgentEvent(session, 'query.start', { message: clip(session.task, 300) });
  const before = session.spec.chat?.history.length ?? 0;
  if (before > 0)
    emitAgentEvent(session, 'session.resumed', {
      message: `the conversation goes on; ${before} messages of it came before this one`,
    });
  return 'success';
}
