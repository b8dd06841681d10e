import { Injectable, Logger } from '@nestjs/common';
import type { AgentAction, AgentCondition } from '../../behaviours/agent-actions.js';
import { behaviourName } from '../../behaviours/behaviour-name.js';
import { driveTree } from '../../behaviours/drive-tree.js';
import type { Leaf } from '../../domain/behaviour-tree/tree.js';
import { LaterCheckpointError, readBlackboard, type Blackboard } from '../../domain/blackboard.js';
import type { RunSpec } from '../../domain/run.js';
import { EventLog } from '../../event-log/event-log.js';
import { ModelCalls } from '../../models/calls/model-calls.js';
import { Models } from '../../models/models.js';
import type { AgentJob } from '../../queues/queues.js';
import { isStoreTrouble } from '../../redis/store-trouble.js';
import { ToolRegistry } from '../../tools/tool-registry.js';
import { AgentSession, type Parked } from './agent-session.js';
import { placeIn, type AgentPlace } from './agent-place.js';
import { answer } from '../actions/answer.js';
import { askLibrarian, needsLibrarian } from '../actions/ask-librarian.js';
import { awaitReports } from '../actions/await-reports.js';
import { AgentNotifiers } from '../notices/agent-notifiers.js';
import { conclude, report } from '../actions/conclusions.js';
import type { Message } from './conversation.js';
import { modelTurn } from '../actions/model-turn.js';
import type { RoleBehaviour } from '../roles/role-behaviour.js';
import { LostError, RunWriter } from './run-writer.js';
import { runTools } from '../actions/run-tools.js';
import { start } from '../actions/start.js';
import { startTurn } from '../actions/start-turn.js';
import { buildMessages } from '../actions/build-messages.js';
import { checkProgress } from '../actions/check-progress.js';
import { emitAgentEvent } from '../notices/emit-agent-event.js';
import { drainNotifications } from '../actions/drain-notifications.js';
import { cutOf } from '../actions/leaf-options.js';
import { limitReached, reachedLimit } from '../actions/limits-reached.js';

/** The name under which the agent at the top writes; all others write under their dispatch's id. */
const TOP = 'top';
const writerOf = (job: AgentJob): string => job.dispatchId ?? TOP;

type LeafOutcome = 'success' | 'failure' | 'wait';

/** How the caller comes to work on a job. */
export interface Circumstances {
  /** How often a process was lost while it worked on this job: BullMQ's count. */
  stalls: number;
  /** Refuse an agent that was claimed this often without progress; 0: take any. */
  suspectAt: number;
  /** This process opened the job before and is still alive: it lost the store for a while, and nothing else. */
  again: boolean;
  /** Names this stretch of work: a claim that is repeated within it, its answer having been lost, is the same claim. */
  stretch: string;
}

/**
 * What came of opening a job: a session to drive, an agent that is suspected of killing processes, one that only a later version
 * of the service can go on with, one that is not in its run, or nothing left to do.
 */
export type Opened =
  | { kind: 'open'; session: AgentSession }
  | { kind: 'later' }
  | { kind: 'suspect'; claims: number }
  | { kind: 'stray' }
  | { kind: 'nothing' };

/**
 * Drives agents: claims, loads the blackboard, ticks the tree, carries out its leaves, until the agent has reported or must
 * wait. Everything that matters is in the log at every step, so a stretch may end anywhere and another process goes on.
 */
@Injectable()
export class AgentRuntime {
  private readonly logger = new Logger(AgentRuntime.name);

  constructor(
    private readonly log: EventLog,
    private readonly models: Models,
    private readonly calls: ModelCalls,
    private readonly tools: ToolRegistry,
    private readonly companions: AgentNotifiers,
  ) {}

  /**
   * Claims a job's dispatch and loads what the last stretch left.
   * @param stop aborted to make the agent stop: by cancel, by a lost lock, or to hand over. Aborted by the session itself
   *   when it learns from the log that it is no longer wanted
   */
  async open(
    job: AgentJob,
    role: RoleBehaviour,
    stop: AbortController,
    how: Circumstances,
  ): Promise<Opened> {
    const claim = await this.log.claim(
      job.runId,
      writerOf(job),
      how.suspectAt,
      !how.again,
      how.stretch,
    );
    if (claim.kind === 'suspect') return claim;
    if (claim.kind !== 'claimed') return { kind: 'nothing' };
    const spec = await this.log.spec(job.runId);
    const place = spec && placeIn(spec, job.agentId);
    const name = place ? behaviourName(place.type, place.binding) : '';
    const tree = spec?.behaviours[name];
    if (!spec || !place || !tree) {
      this.logger.error({
        msg: 'a job names no agent of its run',
        runId: job.runId,
        agentId: job.agentId,
      });
      return { kind: 'stray' };
    }
    let board: Blackboard;
    try {
      board = readBlackboard(claim.checkpoint, spec.blackboards?.[name]);
    } catch (error) {
      if (!(error instanceof LaterCheckpointError)) throw error;
      // This claim is no crash of the agent's.
      await this.log.append(job.runId, {
        writer: writerOf(job),
        epoch: claim.epoch,
        step: claim.step + 1,
        events: [],
      });
      return { kind: 'later' };
    }
    const companion = await this.companions.of(spec);
    const deadlineAt = deadlineOf(spec, place, claim.createdAt);
    const writer = new RunWriter(
      this.log,
      job.runId,
      writerOf(job),
      claim.epoch,
      claim.step,
      claim.checkpoint,
      place.source,
      stop,
    );
    writer.tokens = claim.tokens;
    const session = new AgentSession(
      job.runId,
      spec,
      claim.createdAt,
      job.dispatchId,
      job.task,
      place,
      role,
      tree,
      this.models.chain(place.binding.model),
      writer,
      board,
      claim.messages.map((message) => JSON.parse(message) as Message),
      stop.signal,
      AbortSignal.timeout(Math.max(0, deadlineAt - Date.now())),
      deadlineAt,
      companion,
    );
    // The log counts stretches that neither parked nor gave up; only of one that was lost while it parked does it know nothing.
    const lost = !how.again && (claim.claims > 1 || (claim.epoch > 1 && how.stalls > board.stalls));
    board.stalls = how.stalls;
    if (lost) await this.resume(session);
    return { kind: 'open', session };
  }

  /** Leaves an agent to another process, in the middle of whatever it does. */
  async release(session: AgentSession): Promise<void> {
    await session.calling?.catch(() => undefined);
    await session.writer.release(session.unrecorded, (checkpoint) => {
      const board = readBlackboard(checkpoint);
      this.cutOff(board);
      return JSON.stringify(board);
    });
  }

  /** Ticks until the agent has reported (`done`) or waits for those that it has sent. */
  async drive(session: AgentSession): Promise<'done' | 'waiting'> {
    const { board, source, runId } = session;
    const driven = await driveTree({
      tree: session.tree,
      get memory() {
        return board.tree;
      },
      set memory(memory) {
        board.tree = memory;
      },
      get blackboard() {
        return { ...board.own, ...board };
      },
      stop: session.signal,
      test: (name) => this.test(session, name as AgentCondition),
      carryOut: (leaf, abort) => this.carryOut(session, leaf, abort),
      failed: (leaf, error) => {
        // Not the tree's: whoever works on this next finds the same, or the store is well again.
        if (error instanceof LostError || isStoreTrouble(error)) throw error;
        this.logger.error({
          msg: 'a leaf failed',
          runId,
          agentId: source.agent_id,
          leaf: leaf.name,
          error: String(error),
        });
      },
      noted: ({ name, error }) =>
        this.logger.error({
          msg: 'a leaf is not well',
          runId,
          agentId: source.agent_id,
          leaf: name,
          error: String(error),
        }),
    });
    if (driven.status === 'failure')
      throw new Error(`the behaviour of ${source.agent_name} failed as a whole`);
    if (driven.status !== 'waiting') return 'done';
    // A timeout of the tree may come before the model's turn does.
    if (session.parked && driven.wakeAt !== null)
      session.parked.ms = Math.min(session.parked.ms, driven.wakeAt - Date.now());
    return 'waiting';
  }

  /** An agent that waits for its model has given its slot back. */
  async parked({ inLine }: Parked): Promise<void> {
    if (inLine) await this.calls.parked(inLine);
  }

  /** A process was lost while it worked on this. What it may have done without recording it is seen to here. */
  private async resume(session: AgentSession): Promise<void> {
    const { board, writer, source, runId, dispatchId } = session;
    this.cutOff(board);
    this.logger.warn({
      msg: 'an agent goes on here: the process that it ran in was lost',
      runId,
      dispatchId,
      agent: source.agent_name,
    });
    const message = `${source.agent_name} goes on from its last step: the process that it ran in was lost.`;
    emitAgentEvent(session, 'session.resumed', { message });
    await writer.append([session.warning('AGENT_RESUMED', message)], {
      checkpoint: JSON.stringify(board),
      progress: false,
    });
  }

  /** A stretch ended half-way: what it had begun is not begun again where that is not safe, or told apart where it is. */
  private cutOff(board: Blackboard): void {
    for (const call of board.calls)
      if (this.tools.get(call.tool)?.repeatable === false) call.interrupted = true;
    // Nothing open: it was in a model call, whose text may be in the log, or on its way to one.
    if (board.calls.length === 0 && board.waiting.length === 0) board.nextAttempt++;
  }

  private test(session: AgentSession, condition: AgentCondition): boolean {
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

  /** At once where there is nothing to wait for. */
  private carryOut(
    session: AgentSession,
    leaf: Leaf,
    abort: { readonly signal: AbortSignal },
  ): LeafOutcome | Promise<LeafOutcome> {
    if (leaf.type === 'llm-call') {
      const chainOf = (model: string) => (this.models.get(model) ? this.models.chain(model) : []);
      return modelTurn(session, leaf.path, this.calls, chainOf, cutOf(leaf, abort.signal));
    }
    // A tree is checked against these names when it is compiled.
    switch (leaf.name as AgentAction) {
      case 'start':
        return start(session);
      // Its report was its last word; here stands what is to be done after that.
      case 'end':
        return 'success';
      case 'limit-reached':
        return limitReached(session, leaf.path);
      case 'build-messages':
        return after(buildMessages(session));
      case 'check-progress':
        return checkProgress(session, leaf.path);
      case 'drain-notifications':
        return drainNotifications(session, leaf.path);
      case 'start-turn':
        return startTurn(session, leaf.path);
      case 'run-tools':
        return session.board.calls.length === 0
          ? 'success'
          : runTools(session, this.tools, abort.signal);
      case 'ask-librarian':
        return needsLibrarian(session)
          ? askLibrarian(session, leaf.path, this.calls, abort.signal)
          : 'success';
      case 'await-reports':
        return session.board.waiting.length === 0
          ? 'success'
          : awaitReports(session, this.log, leaf.path);
      case 'report':
        return report(session, this.log);
      case 'conclude':
        return conclude(session, this.log);
      case 'answer':
        return answer(session);
    }
  }
}

/** Success, when that is done. */
const after = (done: unknown): 'success' | Promise<'success'> =>
  done instanceof Promise ? done.then(() => 'success' as const) : 'success';

/** ms: workers stop a little before the run's deadline, teams a little later, the top at it, so that nobody waits for a sleeper. */
function deadlineOf({ limits }: RunSpec, { type }: AgentPlace, createdAt: number): number {
  const total = limits.timeoutSeconds * 1_000;
  const margin = Math.min(5_000, total / 20);
  return (
    createdAt +
    total -
    { worker: 2, team_supervisor: 1, global_supervisor: 0, oracle: 0 }[type] * margin
  );
}
