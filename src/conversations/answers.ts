import { Injectable } from '@nestjs/common';
import { answerOf, type TurnAnswer } from '../formats/shared/answer-of.js';
import type { NamedEvent, RunEvent } from '../domain/events/event.js';
import { frameData } from '../domain/events/frame.js';
import type { RunHead } from '../domain/run.js';
import { LogPort } from '../event-log/log-port.js';
import type { RunLifecycle } from '../event-log/run-lifecycle.js';
import type { ConversationName, Exchange } from './conversation.js';
import { ConversationStore } from './conversation-store.js';

const PAGE = 500;
const GONE: TurnAnswer = { content: '', status: 'failed', partial: true };

/**
 * The answers of turns: folds of their logs. They are stored once the turn has ended, at the latest
 * when retention drops the log.
 */
@Injectable()
export class TurnAnswers implements RunLifecycle {
  constructor(
    private readonly log: LogPort,
    private readonly store: ConversationStore,
  ) {}

  /** By context id, of these exchanges of a conversation. A blank text counts as none. */
  async of(
    name: ConversationName,
    path: readonly (readonly [string, Exchange])[],
  ): Promise<Map<string, TurnAnswer>> {
    const known = await this.store.answers(
      name,
      path.map(([contextId]) => contextId),
    );
    for (const [contextId, { runId }] of path) {
      if (known.has(contextId)) continue;
      const events = await this.events(runId);
      const answer = events.length === 0 ? GONE : answerOf(events);
      known.set(contextId, answer);
      if (answer.status !== 'running') await this.store.keep(name, contextId, answer);
    }
    for (const [contextId, answer] of known)
      if (answer.content.trim() === '') known.set(contextId, { ...answer, content: '' });
    return known;
  }

  /** Stores the answer of a turn before its log is dropped. */
  async beforeTrim(runId: string, { kind, owner }: RunHead): Promise<void> {
    if (kind === 'chat') await this.keep(runId, owner);
  }

  /** Stores the answer of a turn that has ended in its conversation. */
  private async keep(runId: string, owner: string): Promise<void> {
    const events = await this.events(runId);
    const [first] = events;
    if (first?.name !== 'lifecycle.started') return;
    const { session_id, context_id } = first.data;
    if (session_id !== undefined && context_id !== undefined)
      await this.store.keep({ id: session_id, owner }, context_id, answerOf(events));
  }

  /** None where the log is gone. */
  private async events(runId: string): Promise<NamedEvent[]> {
    const events: NamedEvent[] = [];
    const state = await this.log.state(runId);
    if (!state || state.expired) return events;
    for (;;) {
      const { frames, lastSequence } = await this.log.read(runId, events.length, PAGE);
      for (const frame of frames) {
        const event = JSON.parse(frameData(frame.toString())) as RunEvent;
        events.push({
          ...event,
          name: `${event.event.category}.${event.event.action}`,
        } as NamedEvent);
      }
      if (frames.length === 0 || events.length >= lastSequence) return events;
    }
  }
}
