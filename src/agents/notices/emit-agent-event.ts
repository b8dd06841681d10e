import { randomUUID } from 'node:crypto';
import {
  agentEvent,
  type AgentEventType,
  type EventSeverity,
} from '../../domain/notifications/agent-event.js';
import { enqueue } from '../../domain/notifications/event-queue.js';
import type { JsonObject } from '../../lib/json.js';
import type { AgentSession } from '../runtime/agent-session.js';

/**
 * Something happened inside an agent that rules and subscribers may want to know of. It is saved with the step that the
 * agent records next, so call this before: a crash then neither loses it nor tells of it twice.
 */
export function emitAgentEvent(
  session: AgentSession,
  type: AgentEventType,
  payload: JsonObject = {},
  severity?: EventSeverity,
): void {
  if (!session.companion.isSubscribed(type)) return;
  const { notifications } = session.board;
  const source = session.source.agent_id;
  enqueue(
    notifications.queue,
    agentEvent({
      id: randomUUID(),
      type,
      source,
      now: Date.now(),
      payload,
      ...(severity && { severity }),
    }),
  );
}
