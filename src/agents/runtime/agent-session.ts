import { settle } from '../../domain/behaviour-tree/tick.js';
import type { Tree, TreeMemory } from '../../domain/behaviour-tree/tree.js';
import { copyBlackboard, type Blackboard } from '../../domain/blackboard.js';
import type { AppendCondition, DraftEvent, Source, Turn } from '../../domain/events/event.js';
import { tokenShares, type TokenShares } from '../../domain/limits/token-shares.js';
import { deferredNotices, without } from '../../domain/notifications/deferred-notice.js';
import type { DeferredGroup } from '../../domain/notifications/notification-state.js';
import type { Point } from '../../domain/notifications/subscriber.js';
import type { Prompts } from '../../domain/prompt/prompts.js';
import type { RunSpec } from '../../domain/run.js';
import type { TopologyNode } from '../../domain/topology/topology.js';
import type { ModelEntry } from '../../models/models.js';
import type { RoleBehaviour } from '../roles/role-behaviour.js';
import type { AgentPlace } from './agent-place.js';
import { answersIn } from './calls-of.js';
import type { Deadline } from './deadline.js';
import type { Message } from './conversation.js';
import { LogRead } from './log-read.js';
import type { RunWriter, StepOptions } from './run-writer.js';
import type { SessionFacts } from './session-facts.js';
import type { AnsweredCall, Scratch, StepResult, Notices } from './session-step.js';
import { windowOf } from './window.js';

/** Evaluates rules and subscribers for an agent. */
interface Notifier {
  isSubscribed(type: string): boolean;
  /** Returns the notices that are due at these points, from all events of the agent. */
  notify(draft: SessionDraft, ...points: Point[]): Notices;
  /** Stores notices for a later session. Harmless when repeated. */
  handOver(session: AgentSession, deferred: readonly DeferredGroup[]): Promise<void>;
  /** Before the last step of an agent is recorded. Harmless when repeated. */
  finished(session: AgentSession): Promise<void>;
}

/**
 * A session with a blackboard of its own, for a step to change: no one sees the change before the
 * step is taken.
 */
export type SessionDraft = AgentSession & { board: Blackboard; scratch: Scratch };

/**
 * The work of one agent in one process, from its claim until it parks or ends: the input of
 * actions. Its state changes only by whole steps, each of which is recorded in the log with the
 * resulting blackboard.
 */
export class AgentSession {
  readonly runId: string;
  readonly spec: RunSpec;
  readonly createdAt: number;
  readonly dispatchId: string | null;
  readonly task: string;
  readonly place: AgentPlace;
  readonly role: RoleBehaviour;
  readonly prompts: Prompts;
  readonly tree: Tree;
  readonly chain: readonly ModelEntry[];
  readonly writer: RunWriter;
  readonly signal: AbortSignal;
  readonly deadline: Deadline;
  readonly deadlineAt: number;
  readonly now: () => number;
  readonly notifier: Notifier;
  readonly shares: TokenShares;
  /**
   * Dispatches that were recorded in this session and have no job yet, so that their agents cannot
   * have reported.
   */
  readonly unsent: Set<string>;
  readonly read: LogRead;
  private current: Blackboard;
  private known: readonly Message[];
  private own: Scratch;
  /** The engine's memory of the tree, apart from the blackboard because every leaf changes it. */
  private treeMemory: TreeMemory;
  private shown: { of: Blackboard; values: object } | undefined;

  /** @param from a session of the same claim, whose cached reads and state are shared */
  constructor(
    facts: SessionFacts & { notifier: Notifier },
    board: Blackboard,
    from?: AgentSession,
  ) {
    this.runId = facts.runId;
    this.spec = facts.spec;
    this.createdAt = facts.createdAt;
    this.dispatchId = facts.dispatchId;
    this.task = facts.task;
    this.place = facts.place;
    this.role = facts.role;
    this.prompts = facts.prompts;
    this.tree = facts.tree;
    this.chain = facts.chain;
    this.writer = facts.writer;
    this.signal = facts.signal;
    this.deadline = facts.deadline;
    this.deadlineAt = facts.deadlineAt;
    this.now = facts.now;
    this.notifier = facts.notifier;
    this.shares = from?.shares ?? tokenShares(facts.spec.limits.tokenBudget);
    this.unsent = from?.unsent ?? new Set();
    this.read = from?.read ?? new LogRead();
    this.known = from?.known ?? [...facts.messages];
    this.current = board;
    this.own = from ? { ...from.own } : { unfinished: '' };
    this.treeMemory = from?.treeMemory ?? new Map(Object.entries(board.tree));
  }

  /** The state after the last step. */
  get board(): Readonly<Blackboard> {
    return this.current;
  }

  get messages(): readonly Message[] {
    return this.known;
  }

  get scratch(): Readonly<Scratch> {
    return this.own;
  }

  get source(): Source {
    return this.place.source;
  }

  /** The current position of an `llm.*` event. */
  get turn(): Turn {
    return { dispatch_id: this.dispatchId, turn: this.board.turn, attempt: this.board.attempt };
  }

  /** The used share of the run's token budget, and of the model's window: 0 to 1. */
  get tokenUsage(): number {
    return Math.min(1, this.writer.tokens / this.spec.limits.tokenBudget);
  }

  get contextUsage(): number {
    const { tokens, chain } = this.scratch.prepared ?? {
      tokens: this.board.context?.tokens ?? 0,
      chain: this.chain,
    };
    return Math.min(1, tokens / windowOf(chain, this.board));
  }

  /** Aborted when anything ends a running call. */
  get ends(): AbortSignal {
    return this.deadline.ends;
  }

  node(id: string): TopologyNode | undefined {
    return this.spec.topology.nodes.find((node) => node.id === id);
  }

  /** The calls so far, and their results. */
  answers(): readonly AnsweredCall[] {
    return answersIn(this.messages);
  }

  /** @param when the condition, if the append decides whether the warning is given */
  warning(
    code: string,
    message: string,
    details: Record<string, string | number | boolean> = {},
    when?: AppendCondition,
  ): DraftEvent {
    return {
      name: 'system.warning',
      source: this.source,
      data: { message, code, ...this.said, ...details },
      ...(when && { when }),
    };
  }

  error(
    code: string,
    message: string,
    details: Record<string, string | number | boolean> = {},
  ): DraftEvent {
    return {
      name: 'system.error',
      source: this.source,
      data: { message, code, ...this.said, ...details },
    };
  }

  /** The current position of a warning or an error. */
  private get said() {
    return { dispatch_id: this.dispatchId, turn: this.board.turn };
  }

  /**
   * A copy of this session with a copy of a blackboard: the present one, or the one that is given.
   * Not an object that inherits from the session: each change of a prototype makes every read
   * through it slow.
   */
  draft(state: Blackboard = this.current): SessionDraft {
    return new AgentSession(this, copyBlackboard(state), this);
  }

  /** The engine's memory of the tree. */
  get memory(): TreeMemory {
    return this.treeMemory;
  }

  set memory(memory: TreeMemory) {
    this.treeMemory = memory;
  }

  /** The blackboard that the tree reads: the values of its own keys, and the state. */
  get values(): object {
    const { current } = this;
    if (this.shown?.of !== current)
      this.shown = { of: current, values: { ...current.own, ...current } };
    return this.shown.values;
  }

  /** Takes a step without recording it: it is recorded with the next one that is. */
  take({ state, events = [], messages = [], scratch = {} }: StepResult): void {
    this.read.note(events);
    if (state.waiting.length > 0) {
      const before = new Set(this.current.waiting);
      for (const open of state.waiting) if (!before.has(open)) this.unsent.add(open.dispatch_id);
    }
    this.current = state;
    if (messages.length > 0) this.known = [...this.known, ...messages];
    this.own = { ...this.own, ...scratch };
  }

  /**
   * Makes a step from the current state, and records it.
   * @returns sequence of its first event
   */
  step(make: (draft: SessionDraft) => StepResult): Promise<number> {
    return this.record(make(this.draft()));
  }

  /**
   * Takes a step and appends it to the log: events, messages and blackboard together.
   * @param settled path of the leaf that this completes: a process that continues from here does
   *   not repeat it
   * @returns sequence of its first event
   */
  async record(result: StepResult, settled?: string): Promise<number> {
    this.take(result);
    const { events = [], messages = [] } = result;
    const first = await this.writer.append([...events], this.checkpoint(messages, settled));
    await this.handOver();
    return first;
  }

  /** As `record`, but together with the next step, which is about to come: see `RunWriter.hold`. */
  hold(result: StepResult, settled?: string): void {
    this.take(result);
    const { events = [], messages = [] } = result;
    this.writer.hold([...events], this.checkpoint(messages, settled));
  }

  /** Takes the agent's last step: its events end its work in the log. */
  async finish(result: StepResult): Promise<void> {
    // The log keeps no blackboard after the last step, so notices for a later session are stored
    // first.
    if (deferredNotices(result.state.notifications).length > 0)
      await this.record({ state: result.state });
    this.take(result);
    await this.notifier.finished(this);
    await this.writer.append([...(result.events ?? [])], { done: true });
  }

  /**
   * Stores notices for a later session, once the step is recorded: after a crash before this, they
   * are stored again.
   */
  private async handOver(): Promise<void> {
    const deferred = deferredNotices(this.current.notifications);
    if (deferred.length === 0) return;
    await this.notifier.handOver(this, deferred);
    const notifications = without(this.current.notifications, deferred);
    this.current = { ...this.current, notifications };
  }

  /** Makes the current state as the log keeps it. */
  saved(): () => string {
    const { current, memory } = this;
    return () => JSON.stringify({ ...current, tree: Object.fromEntries(memory) });
  }

  private checkpoint(messages: readonly Message[], settled: string | undefined): StepOptions {
    if (settled !== undefined) this.memory = settle(this.memory, settled, 'success');
    const { waiting, calls } = this.current;
    return {
      checkpoint: this.saved(),
      // An agent that only waits is about to park: a process that ends then was not lost because of
      // it.
      progress: waiting.length === 0 || calls.length > 0 ? 'going' : true,
      messages,
    };
  }
}
