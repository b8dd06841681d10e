import { Injectable } from '@nestjs/common';
import type { RunSpec } from '../domain/run.js';
import { isTerminalStatus } from '../domain/run-status.js';
import { LogPort } from '../event-log/log-port.js';
import type { RunLifecycle } from '../event-log/run-lifecycle.js';
import { Clock } from '../lib/clock.js';
import { RunControl } from '../runs/run-control.js';
import { TurnAnswers } from './answers.js';
import type { Conversation } from './conversation.js';
import { ConversationStore } from './conversation-store.js';
import { titleOf } from './title.js';

/**
 * Enters turns into their conversations, and cancels a turn that a newer one replaces. The process
 * that accepts a turn enters it when its log exists; if that process dies before, the one that
 * restarts the run does.
 */
@Injectable()
export class Exchanges implements RunLifecycle {
  constructor(
    private readonly log: LogPort,
    private readonly control: RunControl,
    private readonly store: ConversationStore,
    private readonly answers: TurnAnswers,
    private readonly clock: Clock,
  ) {}

  /** Enters a chat turn whose process died before its conversation knew of it. */
  async beforeRestart(runId: string, spec: RunSpec): Promise<void> {
    if (spec.kind === 'chat') await this.enterLate(runId, spec);
  }

  /**
   * Enters a turn as the latest of its conversation: those before it are cancelled. Harmless when
   * repeated.
   * @returns false where the conversation is another's, or gone: then it is the turn that is
   *   cancelled
   */
  async enter(runId: string, spec: RunSpec): Promise<boolean> {
    return this.add(runId, spec, undefined);
  }

  /**
   * The same for a turn that may have been entered before; where another has come since, it is this
   * one that is cancelled.
   */
  async enterLate(runId: string, spec: RunSpec): Promise<boolean> {
    return this.add(runId, spec, (await this.log.state(runId))?.createdAt ?? this.clock.now());
  }

  /** The turn of a conversation that is under way, if there is one. */
  async running(conversation: Conversation): Promise<string | undefined> {
    return (await this.open(conversation)).at(-1);
  }

  /**
   * Cancels what is under way in a conversation, because a new message was sent.
   * @param but this one stays
   */
  async cancel(conversation: Conversation, but?: string): Promise<void> {
    await this.cancelOpen(conversation, 'A new message was sent', but);
  }

  /**
   * Removes a conversation with all its exchanges. What is under way in it is cancelled before,
   * also a turn that is accepted meanwhile; the logs of its runs stay.
   * @returns false if this owner has none
   */
  async remove(id: string, owner: string): Promise<boolean> {
    for (;;) {
      const conversation = await this.store.get(id, owner);
      if (conversation) await this.cancelOpen(conversation, 'The conversation was deleted');
      const outcome = await this.store.remove(id, owner, conversation?.updatedAt ?? 0);
      if (outcome !== 'changed') return outcome === 'removed';
    }
  }

  private async cancelOpen(
    conversation: Conversation,
    reason: string,
    but?: string,
  ): Promise<void> {
    const open = (await this.open(conversation)).filter((runId) => runId !== but);
    await Promise.all(open.map((runId) => this.control.cancel(runId, reason)));
  }

  private async add(
    runId: string,
    { chat, owner, topology, userMessage: question }: RunSpec,
    lateSince: number | undefined,
  ): Promise<boolean> {
    const { sessionId = '', contextId = '', parent = null } = chat ?? {};
    const exchange = {
      parent,
      runId,
      question,
      ...(topology.id > 0 && { topologyId: topology.id }),
      ...(chat?.context !== undefined && { hasContext: true as const }),
    };
    const entry = { title: titleOf(question), contextId, exchange };
    if (!(await this.store.add(sessionId, owner, entry, lateSince))) {
      await this.control.cancel(runId, 'The conversation is not there');
      return false;
    }
    const conversation = await this.store.get(sessionId, owner);
    if (conversation)
      await this.cancel(conversation, [...conversation.exchanges.values()].at(-1)?.runId);
    return true;
  }

  /**
   * Runs of a conversation that have not ended, oldest first. The answers of the others are kept:
   * each is looked at once.
   */
  private async open(conversation: Conversation): Promise<string[]> {
    const { exchanges, answered } = conversation;
    const asked = [...exchanges].filter(([contextId]) => !answered.has(contextId));
    const states = await Promise.all(asked.map(([, { runId }]) => this.log.state(runId)));
    const isOpen = states.map((state) => state !== undefined && !isTerminalStatus(state.status));
    const ended = asked.filter((_, i) => !isOpen[i]);
    await this.answers.of(conversation, ended);
    return asked.flatMap(([, { runId }], i) => (isOpen[i] ? [runId] : []));
  }
}
