import { settle } from '../../domain/behaviour-tree/tick.js';
import type { Tree } from '../../domain/behaviour-tree/tree.js';
import type { TopologyNode } from '../../domain/topology/topology.js';
import type { Blackboard } from '../../domain/blackboard.js';
import type { Condition, DraftEvent, RunEvent, Source, Turn } from '../../domain/events/event.js';
import type { Json, JsonObject } from '../../lib/json.js';
import { putOff } from '../../domain/notifications/next-session.js';
import type { Point } from '../../domain/notifications/subscriber.js';
import type { RunSpec } from '../../domain/run.js';
import type { Step } from '../../event-log/answers.js';
import { tokenShares, type TokenShares } from '../../domain/limits/token-shares.js';
import type { ModelEntry } from '../../models/models.js';
import type { AgentPlace } from './agent-place.js';
import type { Message, Prepared } from './conversation.js';
import type { RoleBehaviour } from '../roles/role-behaviour.js';
import type { RunWriter } from './run-writer.js';
import { windowOf } from './window.js';

/** What is to be recorded of a point of an agent's work: for its model, and for whoever watches. */
export interface Told {
  messages: Message[];
  events: DraftEvent[];
}

/** For how long an agent gives its slot back, unless it is woken. */
export interface Parked {
  ms: number;
  /** Where it is in line for room. */
  inLine?: ModelEntry;
}

/** What an agent knows of its companion. */
interface Accompanying {
  /** Whether anybody wants to know of events of a type. */
  isSubscribed: (type: string) => boolean;
  /** What is to be told at these points, of all that has happened. */
  tell(session: AgentSession, ...points: Point[]): Told;
  /** Hands over what is for the next session, once it is recorded. */
  carryOver(session: AgentSession): Promise<void>;
}

/** One stretch of one agent's work in this process: what its leaves read and write. */
export class AgentSession {
  /** Whatever ends a call in flight. */
  readonly ends: AbortSignal;
  readonly shares: TokenShares;
  /** The agent waits for its model, and is to give its slot back meanwhile. */
  parked: Parked | undefined;
  /** The call of a model that is under way; and, when the agent was stopped in it, what whoever leaves it to another process is to say of it. */
  calling: Promise<unknown> | undefined;
  unrecorded: DraftEvent[] = [];
  /** What the model is sent in this turn, once it was put together. */
  prepared: Prepared | undefined;
  /** What the model had said when it was cut off for good. */
  unfinished = '';
  /** Dispatches that were recorded in this stretch and have no job yet: nobody can have reported on one. */
  readonly unsent = new Set<string>();
  /** `tool_call_id` → sequence of its result, of those recorded in this stretch. */
  readonly evidence = new Map<string, number>();
  /** Dispatches and reports that were read from the log, by sequence. */
  readonly read = new Map<number, RunEvent>();

  constructor(
    readonly runId: string,
    readonly spec: RunSpec,
    /** ms, by the log's clock: when the run was accepted. */
    readonly createdAt: number,
    readonly dispatchId: string | null,
    readonly task: string,
    readonly place: AgentPlace,
    readonly role: RoleBehaviour,
    readonly tree: Tree,
    /** The model that it is bound to, then those that take its place; empty where there is no such model. */
    readonly chain: readonly ModelEntry[],
    readonly writer: RunWriter,
    readonly board: Blackboard,
    readonly messages: Message[],
    /** Fires on cancel, on a lost fence or lock, and when the process must hand over: the agent stops where it is. */
    readonly signal: AbortSignal,
    /** Fires when this agent's time is up: then it reports what it has. */
    readonly deadline: AbortSignal,
    /** ms since 1970: when that is. */
    readonly deadlineAt: number,
    /** Tells the model, and whoever watches, what happens. */
    readonly companion: Accompanying,
  ) {
    this.ends = AbortSignal.any([signal, deadline]);
    this.shares = tokenShares(spec.limits.tokenBudget);
  }

  get source(): Source {
    return this.place.source;
  }

  /** Where an `llm.*` event of now belongs. */
  get turn(): Turn {
    return { dispatch_id: this.dispatchId, turn: this.board.turn, attempt: this.board.attempt };
  }

  /** What the run has used of its token budget, and the conversation of its model's window: 0 to 1. */
  get tokenUsage(): number {
    return Math.min(1, this.writer.tokens / this.spec.limits.tokenBudget);
  }

  get contextUsage(): number {
    const { tokens, chain } = this.prepared ?? {
      tokens: this.board.context?.tokens ?? 0,
      chain: this.chain,
    };
    return Math.min(1, tokens / windowOf(chain, this.board));
  }

  node(id: string): TopologyNode | undefined {
    return this.spec.topology.nodes.find((node) => node.id === id);
  }

  /** What was called so far, and what came back. */
  answers(): { id: string; tool: string; args: JsonObject; output: Json; failed: boolean }[] {
    const calls = this.messages.flatMap((message) =>
      message.role === 'assistant' ? message.calls : [],
    );
    const callOf = new Map(calls.map((call) => [call.id, call]));
    return this.messages.flatMap((message) => {
      const call = message.role === 'result' ? callOf.get(message.id) : undefined;
      return message.role === 'result' && call
        ? [{ ...call, output: message.output, failed: message.failed }]
        : [];
    });
  }

  /** Whether a warning of this dispatch has not been given yet; from now on it has. */
  once(warning: string): boolean {
    const { warned } = this.board;
    if (warned.includes(warning)) return false;
    warned.push(warning);
    return true;
  }

  /** @param when it is given, where that is for the log to decide */
  warning(
    code: string,
    message: string,
    details: Record<string, string | number | boolean> = {},
    when?: Condition,
  ): DraftEvent {
    return {
      name: 'system.warning',
      source: this.source,
      data: { message, code, ...details },
      ...(when && { when }),
    };
  }

  error(
    code: string,
    message: string,
    details: Record<string, string | number | boolean> = {},
  ): DraftEvent {
    return { name: 'system.error', source: this.source, data: { message, code, ...details } };
  }

  /**
   * Appends events, messages and the blackboard as it is now, as one step.
   * @param settled path of the leaf that is done with this: a process that goes on from here does not do it again
   */
  async record(events: DraftEvent[], messages: Message[] = [], settled?: string): Promise<number> {
    const first = await this.writer.append(events, this.step(messages, settled));
    if (putOff(this.board.notifications).length > 0) await this.companion.carryOver(this);
    return first;
  }

  /** Records what there is to record: where there is nothing, at once. The leaf is done with it. */
  recordAny(
    events: DraftEvent[],
    messages: Message[],
    settled: string,
  ): 'success' | Promise<'success'> {
    return events.length + messages.length === 0
      ? 'success'
      : this.record(events, messages, settled).then(() => 'success' as const);
  }

  /** As `record`, but together with the next step, which is about to come: see `RunWriter.hold`. */
  hold(events: DraftEvent[], messages: Message[], settled: string): void {
    this.writer.hold(events, this.step(messages, settled));
  }

  private step(
    messages: Message[],
    settled: string | undefined,
  ): Pick<Step, 'checkpoint' | 'progress' | 'messages'> {
    const { board } = this;
    if (settled !== undefined) board.tree = settle(board.tree, settled, 'success');
    this.messages.push(...messages);
    return {
      checkpoint: JSON.stringify(board),
      // An agent that only waits is about to park: no process that ends then was lost over it.
      progress: board.waiting.length === 0 || board.calls.length > 0 ? 'going' : true,
      messages: messages.map((message) => JSON.stringify(message)),
    };
  }
}
