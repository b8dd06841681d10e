import { Injectable, Logger } from '@nestjs/common';
import type { AgentCondition } from '../../behaviours/agent-actions.js';
import { driveTree } from '../../behaviours/drive-tree.js';
import type { Leaf } from '../../domain/behaviour-tree/tree.js';
import { readBlackboard } from '../../domain/blackboard.js';
import { LogPort } from '../../event-log/log-port.js';
import { ModelCalls } from '../../models/calls/model-calls.js';
import { Models } from '../../models/models.js';
import { isStoreFailure } from '../../redis/store-failure.js';
import { ToolRegistry } from '../../tools/tool-registry.js';
import type { ActionResult, CompletedAction, Ports } from '../actions/action.js';
import { reachedLimit } from '../actions/limits-reached.js';
import { ACTIONS } from '../actions/registry.js';
import { sayConclusion } from '../actions/say-conclusion.js';
import { AgentOpener, type OpenResult } from './agent-opener.js';
import type { AgentSession } from './agent-session.js';
import type { ParkRequest } from './session-step.js';
import { LostError } from './run-writer.js';

type LeafOutcome = 'success' | 'failure' | 'wait';

/**
 * How a session ended. `parked`: the agent waits for its model, otherwise for the agents that it
 * has dispatched.
 */
export type SessionOutcome =
  { kind: 'done' } | { kind: 'waiting'; parked: ParkRequest | undefined };

/**
 * Drives agents: ticks the tree, and carries out its leaves, until the agent has reported or must
 * wait. Every step is in the log, so a session may end anywhere and another process continues.
 */
@Injectable()
export class AgentRuntime {
  private readonly logger = new Logger(AgentRuntime.name);
  private readonly ports: Ports;
  /** The running actions, for an agent that is left in the middle of one. */
  private readonly running = new WeakMap<AgentSession, Promise<ActionResult>>();

  constructor(
    private readonly opener: AgentOpener,
    log: LogPort,
    models: Models,
    private readonly calls: ModelCalls,
    tools: ToolRegistry,
  ) {
    this.ports = { log, models, calls, tools };
  }

  /** Claims the dispatch of a job: see {@link AgentOpener.open}. */
  open(...job: Parameters<AgentOpener['open']>): Promise<OpenResult> {
    return this.opener.open(...job);
  }

  /** Leaves an agent to another process, even in the middle of a step. */
  async release(session: AgentSession): Promise<void> {
    const last = await this.running.get(session)?.catch(() => undefined);
    const events = last?.outcome === 'stopped' ? last.events : [];
    await session.writer.release([...events], (checkpoint) =>
      JSON.stringify(this.opener.cutOff(readBlackboard(checkpoint))),
    );
  }

  /** Ticks until the agent has reported, or waits. */
  async drive(session: AgentSession): Promise<SessionOutcome> {
    const { source, runId } = session;
    const fault = (msg: string, leaf: string, error: unknown) =>
      this.logger.error({ msg, runId, agentId: source.agent_id, leaf, error: String(error) });
    const waits: { parked?: ParkRequest | undefined } = {};
    const driven = await driveTree({
      tree: session.tree,
      get memory() {
        return session.memory;
      },
      set memory(memory) {
        session.memory = memory;
      },
      get blackboard() {
        return session.values;
      },
      stop: session.signal,
      now: session.now,
      test: (name) => test(session, name as AgentCondition),
      carryOut: (leaf, abort) => this.carryOut(session, leaf, abort, waits),
      failed: (leaf, error) => {
        // Not an error of the tree: another process has the same problem, or the store has
        // recovered.
        if (error instanceof LostError || isStoreFailure(error)) throw error;
        fault('a leaf failed', leaf.name, error);
      },
      noted: ({ name, error }) => fault('a leaf could not be read', name, error),
    });
    if (driven.status === 'failure')
      throw new Error(`the behaviour of ${source.agent_name} failed as a whole`);
    if (driven.status !== 'waiting') return { kind: 'done' };
    const { parked } = waits;
    // A timeout of the tree may come before the call gets its turn at the model.
    if (!parked || driven.wakeAt === null) return { kind: 'waiting', parked };
    const ms = Math.min(parked.ms, driven.wakeAt - session.now());
    return { kind: 'waiting', parked: { ...parked, ms } };
  }

  /** An agent that waits for its model has given its slot back. */
  async parked({ inLine }: ParkRequest): Promise<void> {
    if (inLine) await this.calls.parked(inLine);
  }

  /** Immediately, if there is nothing to wait for. */
  private carryOut(
    session: AgentSession,
    leaf: Leaf,
    abort: { readonly signal: AbortSignal },
    waits: { parked?: ParkRequest | undefined },
  ): LeafOutcome | Promise<LeafOutcome> {
    const name = leaf.type === 'llm-call' ? leaf.type : leaf.name;
    const action = ACTIONS.get(name);
    // A tree is checked against the names when it is compiled.
    if (!action) throw new Error(`there is no action ${name}`);
    const take = (result: ActionResult): LeafOutcome | Promise<LeafOutcome> => {
      if (leaf.type === 'llm-call') this.logFailure(session, result);
      if (result.outcome === 'wait') waits.parked = result.parked;
      return result.outcome === 'wait' || result.outcome === 'stopped'
        ? 'wait'
        : takeLast(session, leaf.path, result);
    };
    const context = { session, leaf, abort, ports: this.ports };
    const result = action.run(context, session.board);
    if (!(result instanceof Promise)) return take(result);
    this.running.set(session, result);
    return result.then(take);
  }

  /** The operator must know of a failing model, too: a key or an address may be wrong. */
  private logFailure({ runId, source, spec }: AgentSession, result: ActionResult): void {
    const failure = 'state' in result ? result.state?.failure : undefined;
    if (!failure) return;
    const { code, message: error, retryable } = failure;
    const conversation = spec.chat && { conversation: spec.chat.sessionId, caller: spec.owner };
    const about = { runId, agentId: source.agent_id, ...conversation };
    this.logger.warn({ msg: 'the model of an agent failed', ...about, code, error, retryable });
  }
}

/** Takes the last step of an action, if it has one; the leaf is done with it. */
function takeLast(
  session: AgentSession,
  path: string,
  { state, outcome, hold, last, ...result }: CompletedAction,
): LeafOutcome | Promise<LeafOutcome> {
  if (!state) return outcome;
  const step = { state, ...result };
  if (last) {
    const events = sayConclusion(session, step.events ?? []);
    return session.finish({ ...step, events }).then(() => outcome);
  }
  if ((step.events ?? []).length + (step.messages ?? []).length === 0) session.take(step);
  else if (hold) session.hold(step, path);
  else return session.record(step, path).then(() => outcome);
  return outcome;
}

function test(session: AgentSession, condition: AgentCondition): boolean {
  switch (condition) {
    case 'stopped?':
      return session.board.stop;
    case 'limit-reached?':
      return session.board.reached !== null;
    case 'has-tool-calls?':
      return session.board.calls.length > 0;
    case 'within-budget?':
      return reachedLimit(session) === null;
  }
}
