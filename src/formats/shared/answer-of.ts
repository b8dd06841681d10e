import type { NamedEvent, ResultSource } from '../../domain/events/event.js';
import { BEFORE, shownText, toChatParts } from './chat-parts.js';
import type { RunStatus } from '../../domain/run-status.js';

/** The answer of a conversation turn, computed from its log so far. */
export interface TurnAnswer {
  content: string;
  status: Extract<RunStatus, 'running' | 'completed' | 'failed' | 'cancelled'>;
  /** Whether the answer is incomplete. */
  partial: boolean;
  /** Why the turn failed. */
  error?: string;
  /** What a completed answer rests on, the best first. Absent: nothing. */
  sources?: readonly ResultSource[];
}

/** Returns the text that clients of the chat formats received. */
export function answerOf(events: readonly NamedEvent[]): TurnAnswer {
  let state = BEFORE;
  let content = '';
  let status: TurnAnswer['status'] = 'running';
  let partial = true;
  let error: string | undefined;
  let sources: readonly ResultSource[] = [];
  for (const event of events) {
    const [next, parts] = toChatParts(state, event);
    state = next;
    for (const part of parts) {
      if (part.kind === 'text') content += shownText(part);
      if (part.kind === 'completed')
        [status, partial, sources] = ['completed', part.data.partial, part.sources];
      else if (part.kind === 'failed') [status, error] = ['failed', part.data.error];
      else if (part.kind === 'cancelled') status = 'cancelled';
    }
  }
  return {
    ...{ content, status, partial },
    ...(error !== undefined && { error }),
    ...(sources.length > 0 && { sources }),
  };
}
