import { Injectable } from '@nestjs/common';
import { ConversationStore } from './conversation-store.js';
import { Conversations } from './conversations.js';
import { Exchanges } from './exchanges.js';

/** Conversations of a caller that the oracle panel reads at once. */
const MOST = 100;

/** A caller's conversations in the form of the oracle panel. */
@Injectable()
export class OracleHistory {
  constructor(
    private readonly store: ConversationStore,
    private readonly conversations: Conversations,
    private readonly exchanges: Exchanges,
  ) {}

  /** The messages of the latest conversation. */
  async latest(owner: string) {
    const [id] = await this.store.list(owner, 0, 1);
    const conversation = id === undefined ? undefined : await this.store.get(id, owner);
    const messages = conversation ? await this.conversations.messages(conversation) : [];
    return {
      messages: messages.map(({ id: messageId, role, content, created_at, sources }) => ({
        role,
        content,
        context_id: messageId.replace(/\.question$/, ''),
        ...(sources && { sources }),
        timestamp: created_at,
      })),
    };
  }

  /** Deletes all conversations; what is running in them is cancelled. */
  async clear(owner: string): Promise<{ status: 'cleared'; deleted: number }> {
    let deleted = 0;
    for (;;) {
      const ids = await this.store.list(owner, 0, MOST);
      if (ids.length === 0) return { status: 'cleared', deleted };
      for (const id of ids) if (await this.exchanges.remove(id, owner)) deleted++;
    }
  }

  async trees(owner: string) {
    const ids = await this.store.list(owner, 0, MOST);
    const found = await Promise.all(ids.map((id) => this.store.get(id, owner)));
    return {
      trees: found.flatMap((conversation) =>
        conversation
          ? [
              {
                root_id: conversation.id,
                title: conversation.title,
                created_at: new Date(conversation.createdAt).toISOString(),
                updated_at: new Date(conversation.updatedAt).toISOString(),
                node_count: conversation.exchanges.size,
              },
            ]
          : [],
      ),
    };
  }

  /** @throws ConsiliumError NOT_FOUND */
  async tree(id: string, owner: string) {
    const { title, head, createdAt, updatedAt, nodes } = await this.conversations.tree(id, owner);
    return {
      root_id: id,
      title,
      created_at: createdAt,
      updated_at: updatedAt,
      node_count: nodes.length,
      current_id: head,
      nodes: nodes.map(
        ({ id: nodeId, parentId: parent_id, runId: run_id, createdAt: at, ...node }) => ({
          id: nodeId,
          parent_id,
          ...node,
          run_id,
          created_at: at,
        }),
      ),
    };
  }
}
