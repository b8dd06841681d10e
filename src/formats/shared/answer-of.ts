import type { NamedEvent } from '../../domain/events/event.js';
import { BEFORE, toChatParts } from './chat-parts.js';
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
  let story = BEFORE;
  let content = '';
  let status: TurnAnswer['status'] = 'running';
  let partial = true;
  for (const event of events) {
    const [next, beats] = toChatParts(story, event);
    story = next;
    for (const beat of beats) {
      if (beat.kind === 'text') content += beat.gap ? `\n\n${beat.text}` : beat.text;
      if (beat.kind === 'completed') [status, partial] = ['completed', beat.data.partial];
      else if (beat.kind === 'failed' || beat.kind === 'cancelled') status = beat.kind;
    }
  }
  return { content, status, partial };
}
