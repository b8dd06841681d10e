import type { NamedEvent } from '../../domain/events/event.js';
import { BEFORE, shownText, toChatParts } from './chat-parts.js';
import type { RunStatus } from '../../domain/run.js';

/** What a turn of a conversation has said: the fold of its log, however far that goes. */
export interface TurnAnswer {
  content: string;
  status: Extract<RunStatus, 'running' | 'completed' | 'failed' | 'cancelled'>;
  /** It is not all that was to be said. */
  partial: boolean;
}

/** The same text that a client of any chat format was shown. */
export function answerOf(events: readonly NamedEvent[]): TurnAnswer {
  let state = BEFORE;
  let content = '';
  let status: TurnAnswer['status'] = 'running';
  let partial = true;
  for (const event of events) {
    const [next, parts] = toChatParts(state, event);
    state = next;
    for (const part of parts) {
      if (part.kind === 'text') content += shownText(part);
      if (part.kind === 'completed') [status, partial] = ['completed', part.data.partial];
      else if (part.kind === 'failed' || part.kind === 'cancelled') status = part.kind;
    }
  }
  return { content, status, partial };
}
