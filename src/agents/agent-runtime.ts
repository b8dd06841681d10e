import { Injectable, Logger } from '@nestjs/common';
import { settle, tick } from '../domain/behaviour-tree/tick.js';
import type { Leaf } from '../domain/behaviour-tree/tree.js';
import { freshBlackboard, type Blackboard } from '../domain/blackboard.js';
import { EventLog } from '../event-log/event-log.js';
import { Models } from '../models/models.js';
import type { AgentJob } from '../queues/queues.js';
import { ToolRegistry } from '../tools/tool-registry.js';
import { AgentSession } from './agent-session.js';
import { placeOf } from './agent-place.js';
import { awaitReports } from './await-reports.js';
import { conclude, report } from './conclusions.js';
import type { Message } from './conversation.js';
import { modelTurn } from './model-turn.js';
import type { RoleBehaviour } from './role-behaviour.js';
import { RunWriter } from './run-writer.js';
import { runTools } from './run-tools.js';
import { startTurn } from './start-turn.js';

/** The name under which the agent at the top writes; all others write under their dispatch's id. */
const TOP = 'top';

/** How a stretch of work ended: there is nothing left to do, or the agent waits for those that it has sent. */
export type Stretch = { kind: 'done' } | { kind: 'waiting'; session: AgentSession };

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
    private readonly tools: ToolRegistry,
  ) {}

  /**
   * Works on a dispatch until it is done or waits.
   * @param stop aborted to make it stop: by cancel, by a lost lock, or to hand over. Aborted by the stretch itself when it
   *   learns from the log that it is no longer wanted
   * @throws LostError when the run has ended or another process took over; the signal's reason when it was stopped
   */
  async work(job: AgentJob, role: RoleBehaviour, stop: AbortController): Promise<Stretch> {
    const session = await this.open(job, role, stop);
    if (!session) return { kind: 'done' };
    try {
      return await this.drive(session);
    } finally {
      session.writer.close();
    }
  }

  /** Goes on with a session whose children have been seen to. */
  async drive(session: AgentSession): Promise<Stretch> {
    const { board, role } = session;
    for (;;) {
      const { status, memory, leaves } = tick(role.tree, board.tree, (name) => this.test(session, name));
      board.tree = memory;
      if (status !== 'running') {
        if (status === 'failure') throw new Error(`the behaviour of ${session.source.agent_name} failed as a whole`);
        return { kind: 'done' };
      }
      const outcomes = await Promise.all(leaves.map(async (leaf) => [leaf, await this.carryOut(session, leaf)] as const));
      for (const [leaf, outcome] of outcomes) if (outcome !== 'wait') board.tree = settle(board.tree, leaf.path, outcome);
      if (outcomes.every(([, outcome]) => outcome === 'wait')) return { kind: 'waiting', session };
    }
  }

  private test(session: AgentSession, condition: string): boolean {
    if (condition === 'stopped?') return session.board.stop;
    throw new Error(`no condition is called "${condition}"`);
  }

  private carryOut(session: AgentSession, leaf: Leaf): Promise<'success' | 'failure' | 'wait'> {
    session.signal.throwIfAborted();
    switch (leaf.name) {
      case 'start-turn':
        return startTurn(session, leaf.path);
      case 'llm-call':
        return modelTurn(session, leaf.path);
      case 'run-tools':
        return runTools(session, this.tools);
      case 'await-reports':
        return awaitReports(session, this.log, leaf.path);
      case 'report':
        return report(session, this.log);
      case 'conclude':
        return conclude(session, this.log);
      default:
        throw new Error(`no action is called "${leaf.name}"`);
    }
  }

  /** Claims the dispatch and loads what the last stretch left. Undefined: there is nothing to do. */
  private async open(job: AgentJob, role: RoleBehaviour, stop: AbortController): Promise<AgentSession | undefined> {
    const writerName = job.dispatchId ?? TOP;
    const claim = await this.log.claim(job.runId, writerName);
    if (claim.kind !== 'claimed') return undefined;
    const [state, spec] = await Promise.all([this.log.state(job.runId), this.log.spec(job.runId)]);
    if (!state || !spec) return undefined;
    const place = placeOf(spec.topology, job.agentId);
    if (!place) {
      this.logger.error(`run ${job.runId} has no agent ${job.agentId}`);
      return undefined;
    }
    const board = claim.checkpoint === null ? freshBlackboard() : (JSON.parse(claim.checkpoint) as Blackboard);
    const messages = claim.messages.map((message) => JSON.parse(message) as Message);
    const writer = new RunWriter(this.log, job.runId, writerName, claim.epoch, claim.step, place.source, stop);
    const model = this.models.get(place.binding.model);
    return new AgentSession(
      job.runId,
      spec,
      state.createdAt,
      job.dispatchId,
      job.task,
      place,
      role,
      model,
      writer,
      board,
      messages,
      stop.signal,
    );
  }
}
