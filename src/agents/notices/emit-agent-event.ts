import { randomUUID } from 'node:crypto';
import {
  agentEvent,
  type AgentEventType,
  type EventSeverity,
} from '../../domain/notifications/agent-event.js';
import { enqueue } from '../../domain/notifications/event-queue.js';
import type { JsonObject } from '../../lib/json.js';
import type { SessionDraft } from '../runtime/agent-session.js';

/**
 * Puts an event on the agent's queue for rules and subscribers. It is recorded with the step of the
 * draft, so that a crash neither loses nor repeats it. Changes the draft.
 */
export function emitAgentEvent(
  draft: SessionDraft,
  type: AgentEventType,
  payload: JsonObject = {},
  severity?: EventSeverity,
): void {
  if (!draft.notifier.isSubscribed(type)) return;
  const { notifications } = draft.board;
  const source = draft.source.agent_id;
  enqueue(
    notifications.queue,
    agentEvent({
      id: randomUUID(),
      type,
      source,
      now: draft.now(),
      payload,
      ...(severity && { severity }),
    }),
  );
}
