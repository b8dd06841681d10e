import { Injectable } from '@nestjs/common';
import { answerOf, type TurnAnswer } from '../domain/answer-of.js';
import type { NamedEvent, RunEvent } from '../domain/event.js';
import { frameData } from '../domain/frame.js';
import { EventLog } from '../event-log/event-log.js';
import type { Conversation, Exchange } from './conversation.js';
import { ConversationStore } from './conversation-store.js';

const PAGE = 500;
const GONE: TurnAnswer = { content: '', status: 'failed', partial: true };

/** What was answered: folds of the logs of turns, kept once they have ended. */
@Injectable()
export class Answers {
  constructor(
    private readonly log: EventLog,
    private readonly store: ConversationStore,
  ) {}

  /** By context id, of these exchanges of a conversation. */
  async of({ id }: Conversation, path: readonly (readonly [string, Exchange])[]): Promise<Map<string, TurnAnswer>> {
    const known = await this.store.answers(
      id,
      path.map(([contextId]) => contextId),
    );
    for (const [contextId, { runId }] of path) {
      if (known.has(contextId)) continue;
      const answer = await this.fold(runId);
      known.set(contextId, answer);
      if (answer.status !== 'running') await this.store.keep(id, contextId, answer);
    }
    return known;
  }

  private async fold(runId: string): Promise<TurnAnswer> {
    if (!(await this.log.state(runId))) return GONE;
    const events: NamedEvent[] = [];
    for (;;) {
      const { frames, lastSequence } = await this.log.read(runId, events.length, PAGE);
      for (const frame of frames) {
        const event = JSON.parse(frameData(frame.toString())) as RunEvent;
        events.push({ ...event, name: `${event.event.category}.${event.event.action}` } as NamedEvent);
      }
      if (frames.length === 0 || events.length >= lastSequence) return answerOf(events);
    }
  }
}
