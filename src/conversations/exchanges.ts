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
 * that accepts a turn enters it when its log exists; if that process dies before, the process that
 * restarts the run enters it.
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

  /** Enters a chat turn whose process died before it was entered in its conversation. */
  async beforeRestart(runId: string, spec: RunSpec): Promise<void> {
    if (spec.kind === 'chat') await this.enterLate(runId, spec);
  }

  /**
   * Enters a turn as the latest of its conversation, and cancels the earlier ones. Harmless when
   * repeated.
   * @returns false if the conversation belongs to another caller or is gone: the turn itself is
   *   then cancelled
   */
  async enter(runId: string, spec: RunSpec): Promise<boolean> {
    return this.add(runId, spec, undefined);
  }

  /**
   * The same for a turn that may have been entered before; if another one was entered since, this
   * one is cancelled.
   */
  async enterLate(runId: string, spec: RunSpec): Promise<boolean> {
    return this.add(runId, spec, (await this.log.state(runId))?.createdAt ?? this.clock.now());
  }

  /** The running turn of a conversation, if there is one. */
  async running(conversation: Conversation): Promise<string | undefined> {
    return (await this.open(conversation)).at(-1);
  }

  /**
   * Cancels the running turns of a conversation, because a new message was sent.
   * @param but this one continues
   */
  async cancel(conversation: Conversation, but?: string): Promise<void> {
    await this.cancelOpen(conversation, 'A new message was sent', but);
  }

  /**
   * Removes a conversation with all its exchanges. Its running turns are cancelled first, including
   * a turn that is accepted meanwhile; the logs of its runs remain.
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
   * Runs of a conversation that have not ended, oldest first. The answers of ended runs are stored,
   * so that each run is read once.
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
