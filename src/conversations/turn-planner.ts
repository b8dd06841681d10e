import { Injectable } from '@nestjs/common';
import { NO_TOPOLOGY, type ChatSpec } from '../domain/chat/chat.js';
import { ConsiliumError } from '../domain/errors.js';
import { estimateTokens } from '../domain/provider/estimate-tokens.js';
import type { RunSpec } from '../domain/run.js';
import type { DraftEvent } from '../domain/events/event.js';
import { DeferredNotices } from '../runs/deferred-notices.js';
import { TurnAnswers } from './answers.js';
import { contextIdOf, noConversation, pathTo, type Conversation } from './conversation.js';
import { ConversationStore } from './conversation-store.js';
import { Exchanges } from './exchanges.js';
import { hasRead, historyOf } from './history.js';
import { TurnGround, type Ground } from './turn-ground.js';
import type { OracleRequest } from './oracle-request.js';

/** Maximum exchanges of a conversation: a turn reads all of its questions. */
const MOST_EXCHANGES = 500;

/** Number of exchanges that are read at first for the history. */
const HISTORY_STEP = 20;

/** A turn that is ready to be accepted. */
export interface PlannedTurn {
  spec: RunSpec;
  /** The first events of its log. */
  events: DraftEvent[];
}

const fullConversation = () =>
  new ConsiliumError(
    'VALIDATION_FAILED',
    `This conversation has ${MOST_EXCHANGES} messages, which is the maximum: start another one`,
    {
      faults: [
        {
          path: 'body',
          message: `names a conversation that is full: it has ${MOST_EXCHANGES} messages`,
        },
      ],
    },
  );

/** Finds a turn's position in its conversation and pins its input. */
@Injectable()
export class TurnPlanner {
  constructor(
    private readonly store: ConversationStore,
    private readonly answers: TurnAnswers,
    private readonly exchanges: Exchanges,
    private readonly ground: TurnGround,
    private readonly notices: DeferredNotices,
  ) {}

  /**
   * A refused turn cancels nothing; otherwise running turns of its conversation are cancelled, and
   * the history contains their partial answers.
   * @throws ConsiliumError NOT_FOUND, TOPOLOGY_NOT_FOUND, VALIDATION_FAILED, RATE_LIMITED
   */
  async plan(owner: string, turn: OracleRequest, runId: string): Promise<PlannedTurn> {
    const sessionId = turn.conversationId ?? `sess_${runId.slice(-12)}`;
    const conversation = await this.conversation(sessionId, owner, turn);
    const continued = turn.node ?? conversation?.head ?? null;
    const exchange = continued === null ? undefined : conversation?.exchanges.get(continued);
    const parent = turn.again ? (exchange?.parent ?? null) : continued;
    const ground = await this.ground.of(owner, turn, exchange?.topologyId);
    if (conversation) await this.exchanges.cancel(conversation);
    const past = conversation ? await this.past(conversation, parent) : { history: [] };
    const { id } = ground.spec.topology;
    const carried = await this.notices.waiting(owner, id, sessionId);
    const contextId = contextIdOf(sessionId, runId);
    const chat: ChatSpec = {
      sessionId,
      contextId,
      parent,
      ...past,
      ...(carried.length > 0 && { carried }),
      ...wishesOf(turn),
      ...(ground.model !== undefined && { model: ground.model }),
      ...(ground.about !== undefined && { about: ground.about }),
    };
    return { spec: { ...ground.spec, chat }, events: firstEvents(ground, chat) };
  }

  /** The messages up to an exchange that fit: earlier ones are not read. */
  private async past(
    conversation: Conversation,
    parent: string | null,
  ): Promise<Pick<ChatSpec, 'history' | 'hasRead'>> {
    const path = pathTo(conversation, parent);
    for (let most = HISTORY_STEP; ; most *= 2) {
      const latest = path.slice(-most);
      const answers = await this.answers.of(conversation, latest);
      const history = historyOf(latest, answers);
      const isAll = latest.length === path.length;
      if (isAll || history.length < 2 * latest.length) {
        const mayHold =
          !isAll || latest.some(([, { hasContext }]) => hasContext) || hasRead(answers.values());
        return { history, ...(mayHold && { hasRead: true }) };
      }
    }
  }

  /**
   * @throws ConsiliumError NOT_FOUND; VALIDATION_FAILED if there is no room for another message,
   *   RATE_LIMITED for a conversation
   */
  private async conversation(
    id: string,
    owner: string,
    { node }: OracleRequest,
  ): Promise<Conversation | undefined> {
    const conversation = await this.store.get(id, owner);
    if (!conversation && (node !== undefined || (await this.store.isTaken(id, owner))))
      throw noConversation();
    if (node !== undefined && !conversation?.exchanges.has(node)) throw noConversation();
    if (conversation && conversation.exchanges.size >= MOST_EXCHANGES) throw fullConversation();
    if (!conversation) await this.store.checkRoom(owner);
    return conversation;
  }
}

const wishesOf = ({ context, clientRunId, sources, thinking, role }: OracleRequest) => ({
  ...(clientRunId !== undefined && { clientRunId }),
  ...(context !== undefined && { context }),
  ...(sources && { sources }),
  ...(role !== undefined && { role }),
  ...(thinking !== undefined && { thinking }),
});

function firstEvents({ spec, contextWindow, warnings }: Ground, chat: ChatSpec): DraftEvent[] {
  const { topology, userMessage } = spec;
  const { sessionId, contextId, clientRunId, about, history } = chat;
  const characters = history.reduce((sum, { text }) => sum + text.length, userMessage.length);
  const isAbout = topology !== NO_TOPOLOGY;
  const data = {
    kind: 'chat' as const,
    topology_id: isAbout ? topology.id : null,
    topology_name: isAbout ? topology.name : null,
    user_message: userMessage,
    limits: spec.limits,
    session_id: sessionId,
    context_id: contextId,
    ...(clientRunId !== undefined && { client_run_id: clientRunId }),
    ...(about !== undefined && { about_run_id: about }),
    context_tokens: estimateTokens(characters),
    max_context_tokens: contextWindow,
  };
  return [
    { name: 'lifecycle.started', source: null, data },
    ...warnings.map((warning) => ({
      name: 'system.warning' as const,
      source: null,
      data: warning,
    })),
  ];
}
