import { TurnAnswers } from '../../../src/conversations/answers.js';
import type {
  Conversation,
  ConversationName,
  Exchange,
} from '../../../src/conversations/conversation.js';
import type {
  ConversationStore,
  NewExchange,
} from '../../../src/conversations/conversation-store.js';
import { Conversations } from '../../../src/conversations/conversations.js';
import { Exchanges } from '../../../src/conversations/exchanges.js';
import type { DraftEvent } from '../../../src/domain/events/event.js';
import type { RunSpec } from '../../../src/domain/run.js';
import { MemoryLog } from '../../../src/event-log/memory-log.js';
import type { TurnAnswer } from '../../../src/formats/shared/answer-of.js';
import type { RunControl } from '../../../src/runs/run-control.js';
import { text } from '../incidents/drafts.js';

/** What a conversation store keeps, in memory. */
class MemoryStore {
  private readonly kept = new Map<string, Conversation>();
  private readonly answerOf = new Map<string, TurnAnswer>();
  private now = 0;

  async get(id: string, owner: string): Promise<Conversation | undefined> {
    const found = this.kept.get(id);
    if (found?.owner !== owner) return undefined;
    const answered = [...found.exchanges.keys()].filter((node) => this.answerOf.has(node));
    return { ...found, exchanges: new Map(found.exchanges), answered: new Set(answered) };
  }

  async isTaken(id: string, owner: string): Promise<boolean> {
    return this.kept.has(id) && this.kept.get(id)?.owner !== owner;
  }

  async checkRoom(): Promise<void> {}

  async create(id: string, owner: string, title: string): Promise<boolean> {
    const at = ++this.now;
    const empty = { head: null, exchanges: new Map<string, Exchange>(), answered: new Set([]) };
    if (this.kept.has(id)) return false;
    this.kept.set(id, { id, owner, title, createdAt: at, updatedAt: at, ...empty });
    return true;
  }

  async add(
    id: string,
    owner: string,
    { title, contextId, exchange }: NewExchange,
  ): Promise<boolean> {
    await this.create(id, owner, title);
    const conversation = this.kept.get(id);
    if (conversation?.owner !== owner) return false;
    const at = ++this.now;
    conversation.title ||= title;
    conversation.exchanges.set(contextId, { ...exchange, at });
    Object.assign(conversation, { head: contextId, updatedAt: at });
    return true;
  }

  async move(id: string, owner: string, node: string): Promise<boolean> {
    const conversation = this.kept.get(id);
    if (conversation?.owner !== owner || !conversation.exchanges.has(node)) return false;
    conversation.head = node;
    return true;
  }

  async rename(id: string, owner: string, title: string): Promise<boolean> {
    const conversation = this.kept.get(id);
    if (conversation?.owner !== owner) return false;
    conversation.title = title;
    return true;
  }

  async remove(
    id: string,
    owner: string,
    updatedAt: number,
  ): Promise<'removed' | 'missing' | 'changed'> {
    const conversation = this.kept.get(id);
    if (conversation?.owner !== owner) return 'missing';
    if (conversation.updatedAt !== updatedAt) return 'changed';
    this.kept.delete(id);
    return 'removed';
  }

  async list(owner: string, offset: number, limit: number): Promise<string[]> {
    const own = [...this.kept.values()].filter((conversation) => conversation.owner === owner);
    const newest = own.toSorted((a, b) => b.updatedAt - a.updatedAt).map(({ id }) => id);
    return newest.slice(offset, offset + limit);
  }

  async answers(
    _name: ConversationName,
    nodes: readonly string[],
  ): Promise<Map<string, TurnAnswer>> {
    return new Map(
      nodes.flatMap((node): [string, TurnAnswer][] => {
        const answer = this.answerOf.get(node);
        return answer ? [[node, answer]] : [];
      }),
    );
  }

  async keep(_name: ConversationName, node: string, answer: TurnAnswer): Promise<void> {
    this.answerOf.set(node, answer);
  }
}

/** Conversations over logs in memory. */
export class MemoryConversations {
  readonly log = new MemoryLog();
  readonly store = new MemoryStore() as unknown as ConversationStore;
  readonly answers = new TurnAnswers(this.log, this.store);
  readonly cancelled: string[] = [];
  readonly control = {
    cancel: async (runId: string) => {
      this.cancelled.push(runId);
      const event: DraftEvent = {
        name: 'lifecycle.cancelled',
        source: null,
        data: { reason: 'x', report: null },
      };
      await this.log.seal(runId, () => event);
      return { now: true };
    },
  } as unknown as RunControl;
  readonly exchanges = new Exchanges(this.log, this.control, this.store, this.answers, {
    now: () => Date.now(),
  });
  readonly conversations = new Conversations(this.store, this.answers, this.exchanges);

  /** What a turn of a conversation was started with. */
  spec(session: string, node: string, question: string, parent: string | null = null): RunSpec {
    const limits = { timeoutSeconds: 120 };
    return {
      kind: 'chat',
      owner: 'me',
      topology: { id: 0, name: '' },
      topologyVersion: 0,
      behaviours: {},
      userMessage: question,
      limits,
      onDisconnect: 'continue',
      chat: { sessionId: session, contextId: node, parent, history: [] },
    } as unknown as RunSpec;
  }

  /** Accepts a turn and says so much; with an end it is complete. */
  async turn(
    runId: string,
    spec: RunSpec,
    { says, ends = true, fails }: { says?: string; ends?: boolean; fails?: string } = {},
  ): Promise<void> {
    const { sessionId = '', contextId = '' } = spec.chat ?? {};
    const started = {
      name: 'lifecycle.started',
      source: null,
      data: {
        kind: 'chat',
        topology_id: null,
        topology_name: null,
        limits: spec.limits,
        user_message: spec.userMessage,
        session_id: sessionId,
        context_id: contextId,
      },
    } as unknown as DraftEvent;
    await this.log.create(runId, spec, [started]);
    await this.exchanges.enter(runId, spec);
    if (says !== undefined) {
      await this.log.claim(runId, 'oracle');
      await this.log.append(runId, { writer: 'oracle', epoch: 1, step: 1, events: [text(says)] });
    }
    if (!ends) return;
    if (fails !== undefined) {
      const failure = { error: fails, code: 'MODEL_FAILED', retryable: false, report: null };
      await this.log.seal(runId, () => ({ name: 'lifecycle.failed', source: null, data: failure }));
      return;
    }
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
    const data = { summary: says ?? '', report: null, partial: false, reasons: [], usage };
    await this.log.seal(runId, () => ({ name: 'lifecycle.completed', source: null, data }));
  }
}
