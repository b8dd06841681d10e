import { Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import type { TurnAnswer } from '../formats/shared/answer-of.js';
import type { ChatMessage } from './conversation-views.js';
import { ConsiliumError } from '../domain/errors.js';
import { iso } from '../lib/iso.js';
import { quote } from '../lib/text.js';
import { TurnAnswers } from './answers.js';
import {
  headsOf,
  noConversation,
  pathTo,
  type Conversation,
  type Exchange,
} from './conversation.js';
import { Exchanges } from './exchanges.js';
import { ConversationStore } from './conversation-store.js';

/** Conversations as their callers see them. */
@Injectable()
export class Conversations {
  constructor(
    private readonly store: ConversationStore,
    private readonly answers: TurnAnswers,
    private readonly exchanges: Exchanges,
  ) {}

  /** @throws ConsiliumError NOT_FOUND, also for another caller's */
  async get(id: string, owner: string): Promise<Conversation> {
    const conversation = await this.store.get(id, owner);
    if (!conversation) throw noConversation();
    return conversation;
  }

  /** The run of the turn that is running, if there is one. */
  async running(id: string, owner: string): Promise<string | undefined> {
    const conversation = await this.store.get(id, owner);
    return conversation && this.exchanges.running(conversation);
  }

  /**
   * Newest first.
   * @param offset how many are skipped
   */
  async list(owner: string, offset: number, limit: number) {
    const ids = await this.store.list(owner, offset, limit + 1);
    const found = await Promise.all(ids.slice(0, limit).map((id) => this.store.get(id, owner)));
    const listed = found.filter((conversation) => conversation !== undefined);
    const items = await Promise.all(listed.map((conversation) => this.card(conversation)));
    return { items, nextCursor: ids.length > limit ? String(offset + limit) : null };
  }

  /** @throws ConsiliumError NOT_FOUND */
  async show(id: string, owner: string) {
    const conversation = await this.get(id, owner);
    return { ...(await this.card(conversation)), messages: await this.messages(conversation) };
  }

  /**
   * Creates an empty conversation.
   * @throws ConsiliumError RATE_LIMITED
   */
  async create(owner: string, title: string) {
    await this.store.checkRoom(owner);
    const id = uuid();
    await this.store.create(id, owner, title);
    return this.card(await this.get(id, owner));
  }

  /** @throws ConsiliumError NOT_FOUND */
  async rename(id: string, owner: string, title: string) {
    if (!(await this.store.rename(id, owner, title))) throw noConversation();
    return this.card(await this.get(id, owner));
  }

  /** As {@link Exchanges.remove}. @throws ConsiliumError NOT_FOUND */
  async remove(id: string, owner: string): Promise<{ id: string }> {
    if (!(await this.exchanges.remove(id, owner))) throw noConversation();
    return { id };
  }

  private async card(conversation: Conversation) {
    const { id, title, createdAt, updatedAt, head, exchanges } = conversation;
    return {
      id,
      title,
      head,
      topologyId: [...exchanges.values()].findLast((one) => one.topologyId)?.topologyId ?? null,
      running: (await this.exchanges.running(conversation)) ?? null,
      createdAt: iso(createdAt),
      updatedAt: iso(updatedAt),
    };
  }

  /** The messages from the root to the head. */
  async messages(conversation: Conversation): Promise<ChatMessage[]> {
    const path = pathTo(conversation, conversation.head);
    const answers = await this.answers.of(conversation, path);
    return path.flatMap(([contextId, exchange]) =>
      messagesOf(contextId, exchange, answers.get(contextId)),
    );
  }

  /** @throws ConsiliumError NOT_FOUND */
  async tree(id: string, owner: string) {
    const conversation = await this.get(id, owner);
    const all = [...conversation.exchanges];
    const answers = await this.answers.of(conversation, all);
    const nodes = all.map(([contextId, { parent, runId, question, at }]) => {
      const { content, ended_at: _, ...rest } = answers.get(contextId) ?? RUNNING;
      return {
        id: contextId,
        parentId: parent,
        runId,
        question,
        answer: content,
        ...rest,
        createdAt: iso(at),
      };
    });
    return { ...(await this.card(conversation)), heads: headsOf(conversation), nodes };
  }

  /**
   * Continues from an earlier exchange; later exchanges stay in the tree.
   * @throws ConsiliumError NOT_FOUND
   */
  async fork(id: string, owner: string, nodeId: string) {
    if (!(await this.store.move(id, owner, nodeId))) {
      await this.get(id, owner);
      throw new ConsiliumError(
        'NOT_FOUND',
        `There is no node ${quote(nodeId)} in this conversation`,
      );
    }
    return this.show(id, owner);
  }
}

const RUNNING: TurnAnswer = { content: '', status: 'running', partial: true };

function messagesOf(
  contextId: string,
  { runId, question, at }: Exchange,
  answer: TurnAnswer | undefined,
): ChatMessage[] {
  const common = { created_at: iso(at), run_id: runId };
  const asked = { id: `${contextId}.question`, content: question, ...common, partial: false };
  const { status, error: _, ended_at = common.created_at, ...rest } = answer ?? RUNNING;
  const said = { id: contextId, ...common, created_at: ended_at, ...rest };
  return [
    { role: 'user', ...asked },
    // A turn that ended without a text leaves no empty message.
    ...(rest.content === '' && status !== 'running'
      ? []
      : [{ role: 'assistant' as const, ...said }]),
  ];
}
