import { Inject, Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { Behaviours } from '../behaviours/behaviours.js';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import {
  NO_TOPOLOGY,
  type ChatSpec,
  type PastMessage,
  type SourceKind,
} from '../domain/chat/chat.js';
import { ConsiliumError } from '../domain/errors.js';
import { estimateTokens } from '../domain/provider/estimate-tokens.js';
import { resolveLimits } from '../domain/limits/limits.js';
import type { RunSpec } from '../domain/run.js';
import { EventLog } from '../event-log/event-log.js';
import { Models } from '../models/models.js';
import { Idempotency } from '../runs/idempotency.js';
import { DeferredNotices } from '../runs/deferred-notices.js';
import { RunStarter, type Accepted } from '../runs/run-starter.js';
import { Topologies } from '../topologies/topologies.js';
import { AgentConfig } from './agent-config.js';
import { Answers } from './answers.js';
import { contextIdOf, noConversation, pathTo, type Conversation } from './conversation.js';
import { ConversationStore } from './conversation-store.js';
import { Exchanges } from './exchanges.js';
import { historyOf } from './history.js';
import { MessageQuota } from './message-quota.js';

/** A turn reads all questions of its conversation. */
const MOST_EXCHANGES = 500;

/** Exchanges that are read at first to tell the model what was said. */
const HISTORY_STEP = 20;

/** A message to the oracle, whatever endpoint it came to. */
export interface Turn {
  message: string;
  /** Undefined: a conversation of its own. One that is not known is created. */
  conversationId?: string | undefined;
  /** The exchange that it goes on from; undefined: the head. */
  node?: string | undefined;
  /** It takes the place of the head: it goes on from where that did. */
  again?: boolean | undefined;
  topologyId?: number | undefined;
  context?: string | undefined;
  /** What the client calls the run of it. */
  clientRunId?: string | undefined;
  sources?: SourceKind[] | undefined;
  model?: string | undefined;
  thinking?: boolean | undefined;
  /** This turn's token budget. */
  tokenBudget?: number | undefined;
}

/** A POST that may be repeated. */
export interface Keyed {
  key: string;
  path: string;
  /** Whoever repeats it has seen some of its run. */
  resumes: boolean;
}

export interface AcceptedTurn extends Accepted {
  /** It had been accepted before, with the same key. */
  joins: boolean;
}

const fullConversation = () =>
  new ConsiliumError(
    'VALIDATION_FAILED',
    `This conversation has ${MOST_EXCHANGES} messages and takes no more: begin another one`,
    {
      faults: [
        {
          path: 'body',
          message: `names a conversation that is full: it has ${MOST_EXCHANGES} messages`,
        },
      ],
    },
  );

export const goneTurn = () => new ConsiliumError('RUN_EXPIRED', 'This turn is no longer kept');

/** Turns of conversations: each is a run of the oracle. Contract section 8. */
@Injectable()
export class Turns {
  constructor(
    private readonly log: EventLog,
    private readonly starter: RunStarter,
    private readonly idempotency: Idempotency,
    private readonly quota: MessageQuota,
    private readonly notices: DeferredNotices,
    private readonly topologies: Topologies,
    private readonly behaviours: Behaviours,
    private readonly models: Models,
    private readonly store: ConversationStore,
    private readonly answers: Answers,
    private readonly exchanges: Exchanges,
    private readonly settings: AgentConfig,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * Accepts a turn; what is still running in its conversation is cancelled. Its log is there before the conversation knows of
   * it, so that whoever comes next finds a log to cancel.
   * @throws ConsiliumError FEATURE_DISABLED, RATE_LIMITED, NOT_FOUND, TOPOLOGY_NOT_FOUND, VALIDATION_FAILED, IDEMPOTENCY_KEY_REUSED, RUN_EXPIRED
   */
  async accept(owner: string, turn: Turn, keyed?: Keyed): Promise<AcceptedTurn> {
    if (this.config.oracle === 'off')
      throw new ConsiliumError('FEATURE_DISABLED', 'The oracle is switched off here');
    const minted = uuid();
    const runId = keyed
      ? await this.idempotency.runOf(
          keyed.key,
          { caller: owner, path: keyed.path },
          turn,
          minted,
          keyed.resumes,
        )
      : minted;
    if (runId !== minted) {
      const spec = await this.log.spec(runId);
      if (spec) return this.join(runId, spec);
      if (keyed?.resumes) throw goneTurn();
    }
    await this.takePlace(owner, runId);
    let spec: RunSpec;
    try {
      spec = await this.prepare(owner, turn, runId);
    } catch (error) {
      await this.quota.giveBack(owner, runId);
      throw error;
    }
    // From here on there may be a log: that says whether the message was answered.
    const accepted = await this.starter.accept(runId, spec, [this.started(spec)]);
    if (!(await this.exchanges.enter(runId, accepted.spec))) throw noConversation();
    return { ...accepted, joins: false };
  }

  /** Whoever accepted it may have died before the conversation knew of it. */
  private async join(runId: string, spec: RunSpec): Promise<AcceptedTurn> {
    if (!(await this.exchanges.enterLate(runId, spec))) throw noConversation();
    return { runId, spec, start: () => Promise.resolve(), joins: true };
  }

  /** @throws ConsiliumError RATE_LIMITED where the caller has no message left in this month */
  private async takePlace(owner: string, runId: string): Promise<void> {
    const full = await this.quota.take(owner, runId);
    if (!full) return;
    const now = new Date();
    const nextMonth = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1);
    throw new ConsiliumError(
      'RATE_LIMITED',
      `Monthly message limit (${full.limit}) reached. Upgrade for more.`,
      {
        retryAfterSeconds: Math.ceil((nextMonth - now.getTime()) / 1_000),
        details: { ...full },
      },
    );
  }

  private async prepare(owner: string, turn: Turn, runId: string): Promise<RunSpec> {
    const sessionId = turn.conversationId ?? `sess_${runId.slice(-12)}`;
    const conversation = await this.conversation(sessionId, owner, turn);
    const parent = parentOf(conversation, turn);
    const ground = await this.ground(owner, turn);
    // What is refused cancels nothing; what is cancelled is told to the model as far as it went.
    if (conversation) await this.exchanges.cancel(conversation);
    const history = conversation ? await this.history(conversation, parent) : [];
    const carried = await this.notices.waiting(owner, ground.topology.id, sessionId);
    const contextId = contextIdOf(sessionId, runId);
    const chat: ChatSpec = {
      sessionId,
      contextId,
      parent,
      history,
      ...(carried.length > 0 && { carried }),
      ...wishesOf(turn),
    };
    return { ...ground, chat };
  }

  /** What was said up to an exchange, as far back as there is room for: the rest is not read. */
  private async history(conversation: Conversation, parent: string | null): Promise<PastMessage[]> {
    const path = pathTo(conversation, parent);
    for (let most = HISTORY_STEP; ; most *= 2) {
      const latest = path.slice(-most);
      const said = historyOf(latest, await this.answers.of(conversation.id, latest));
      if (latest.length === path.length || said.length < 2 * latest.length) return said;
    }
  }

  /** @throws ConsiliumError NOT_FOUND, VALIDATION_FAILED where there is no room for another message */
  private async conversation(
    id: string,
    owner: string,
    { node }: Turn,
  ): Promise<Conversation | undefined> {
    const conversation = await this.store.get(id, owner);
    if (!conversation && (node !== undefined || (await this.store.isTaken(id, owner))))
      throw noConversation();
    if (node !== undefined && !conversation?.exchanges.has(node)) throw noConversation();
    if (conversation && conversation.exchanges.size >= MOST_EXCHANGES) throw fullConversation();
    return conversation;
  }

  /** What a turn stands on, but for what was said before. @throws ConsiliumError TOPOLOGY_NOT_FOUND, VALIDATION_FAILED */
  private async ground(
    owner: string,
    { message, model, topologyId, tokenBudget }: Turn,
  ): Promise<RunSpec> {
    if (model !== undefined && !this.models.get(model)) {
      const faults = [
        { path: 'model', message: 'no model is called so; see GET /api/service/v1/models' },
      ];
      throw new ConsiliumError('VALIDATION_FAILED', 'The request is not valid', { faults });
    }
    const { topology, version } =
      topologyId === undefined ? NONE : await this.topologies.get(topologyId);
    const behaviours = this.behaviours.pinOracle();
    const own = await this.settings.of(owner);
    return {
      kind: 'chat',
      owner,
      topology,
      topologyVersion: version,
      behaviours,
      blackboards: this.behaviours.blackboards(behaviours),
      userMessage: message,
      limits: resolveLimits(
        'chat',
        topology.limits,
        own,
        tokenBudget === undefined ? {} : { tokenBudget },
      ),
      onDisconnect: 'continue',
    };
  }

  private started({ topology, userMessage, chat }: RunSpec) {
    const { sessionId = '', contextId = '', clientRunId, history = [], model } = chat ?? {};
    const characters = history.reduce((sum, { text }) => sum + text.length, userMessage.length);
    return {
      name: 'lifecycle.started' as const,
      source: null,
      data: {
        kind: 'chat' as const,
        topology_id: topology === NO_TOPOLOGY ? null : topology.id,
        topology_name: topology === NO_TOPOLOGY ? null : topology.name,
        user_message: userMessage,
        session_id: sessionId,
        context_id: contextId,
        ...(clientRunId !== undefined && { client_run_id: clientRunId }),
        context_tokens: estimateTokens(characters),
        max_context_tokens: (this.models.get(model) ?? this.models.default).contextWindow,
      },
    };
  }
}

const NONE = { topology: NO_TOPOLOGY, version: 0 };

const wishesOf = ({ context, clientRunId, sources, model, thinking }: Turn) => ({
  ...(clientRunId !== undefined && { clientRunId }),
  ...(context !== undefined && { context }),
  ...(sources && { sources }),
  ...(model !== undefined && { model }),
  ...(thinking !== undefined && { thinking }),
});

function parentOf(conversation: Conversation | undefined, { node, again }: Turn): string | null {
  if (!conversation) return null;
  const head = node ?? conversation.head;
  return again && head !== null ? (conversation.exchanges.get(head)?.parent ?? null) : head;
}
