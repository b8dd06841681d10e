import { Injectable, Logger } from '@nestjs/common';
import { behaviourName } from '../../behaviours/behaviour-name.js';
import { copyBlackboard, LaterCheckpointError, readBlackboard } from '../../domain/blackboard.js';
import type { Blackboard, OpenCall } from '../../domain/blackboard.js';
import type { RunSpec } from '../../domain/run.js';
import { isTerminalStatus } from '../../domain/run-status.js';
import { LogPort, type Claim } from '../../event-log/log-port.js';
import { Models } from '../../models/models.js';
import type { AgentJob } from '../../queues/job-ids.js';
import { ToolRegistry } from '../../tools/tool-registry.js';
import { FileSnapshots } from '../../notifications/file-snapshots.js';
import { AgentNotifiers } from '../notices/agent-notifiers.js';
import { emitAgentEvent } from '../notices/emit-agent-event.js';
import type { RoleBehaviour } from '../roles/role-behaviour.js';
import { placeIn, type AgentPlace } from './agent-place.js';
import { AgentSession } from './agent-session.js';
import { Deadline } from './deadline.js';
import type { Message } from './conversation.js';
import { redactorOf } from './redactor.js';
import { RunWriter } from './run-writer.js';

/**
 * The name under which the agent at the top writes; all others write under the id of their
 * dispatch.
 */
const TOP = 'top';
const writerOf = (job: AgentJob): string => job.dispatchId ?? TOP;

type AgentClaim = Extract<Claim, { kind: 'claimed' }>;

/** How the caller received a job. */
export interface Circumstances {
  /** How often a process was lost while it worked on this job: BullMQ's count. */
  stalls: number;
  /** Refuses an agent that was claimed this often without progress; 0: accepts any. */
  suspectAt: number;
  /** This process opened the job before and is still alive: it only lost the store for a while. */
  again: boolean;
  /**
   * Identifies this session: a claim that is repeated within it, because its response was lost, is
   * the same claim.
   */
  sessionName: string;
}

/**
 * The result of opening a job: a session to drive; or none, because the agent is suspected of
 * killing processes, because only a later version of the service can continue it, because its run
 * has no such agent, or because nothing is left to do.
 */
export type OpenResult =
  | { kind: 'open'; session: AgentSession }
  | { kind: 'newerVersion' }
  | { kind: 'suspect'; claims: number }
  | { kind: 'unknownAgent' }
  | { kind: 'nothing' };

/** The known facts about an agent before its claim is read. */
interface AgentPlan extends Pick<AgentSession, 'spec' | 'place' | 'tree' | 'role'> {
  job: AgentJob;
  stop: AbortController;
}

/** Claims the dispatch of a job, and loads the state of the last session. */
@Injectable()
export class AgentOpener {
  private readonly logger = new Logger(AgentOpener.name);

  constructor(
    private readonly log: LogPort,
    private readonly models: Models,
    private readonly tools: ToolRegistry,
    private readonly files: FileSnapshots,
    private readonly notifiers: AgentNotifiers,
  ) {}

  /**
   * @param stop aborted to make the agent stop: by cancel, by a lost lock, or to hand over. The
   *   session aborts it itself if the log shows that it may not continue
   */
  async open(
    job: AgentJob,
    role: RoleBehaviour,
    stop: AbortController,
    how: Circumstances,
  ): Promise<OpenResult> {
    const { runId } = job;
    const claim = await this.log.claim(runId, writerOf(job), {
      suspectAt: how.suspectAt,
      counts: !how.again,
      name: how.sessionName,
    });
    if (claim.kind === 'suspect') return claim;
    if (claim.kind === 'newer') return { kind: 'newerVersion' };
    if (claim.kind !== 'claimed') return { kind: 'nothing' };
    const spec = await this.log.spec(runId);
    const place = spec && placeIn(spec, job.agentId);
    const name = place ? behaviourName(place.type, place.binding) : '';
    const tree = spec?.behaviours[name];
    if (!spec || !place || !tree) {
      // A run that ended after the claim may have lost its specification.
      const state = await this.log.state(runId);
      if (!state || isTerminalStatus(state.status)) return { kind: 'nothing' };
      this.logger.error({ msg: 'a job names no agent of its run', runId, agentId: job.agentId });
      return { kind: 'unknownAgent' };
    }
    const board = this.boardOf(claim, spec, name);
    if (!board) {
      // This claim was not a crash of the agent.
      const { epoch, step } = claim;
      await this.log.append(runId, { writer: writerOf(job), epoch, step: step + 1, events: [] });
      return { kind: 'newerVersion' };
    }
    // The log counts sessions that neither parked nor gave up; it does not count one that was lost
    // while it parked.
    const isLost =
      !how.again && (claim.claims > 1 || (claim.epoch > 1 && how.stalls > board.stalls));
    const facts = { job, spec, place, tree, role, stop };
    const session = await this.sessionOf(facts, claim, board);
    const sentAt = job.dispatchId === null ? claim.createdAt + (job.delayMs ?? 0) : job.sentAt;
    const queuedMs = claim.epoch === 1 && sentAt !== undefined ? claim.now - sentAt : undefined;
    session.take({
      state: {
        ...session.board,
        stalls: how.stalls,
        ...(queuedMs !== undefined && { queuedMs: Math.max(0, Math.round(queuedMs)) }),
      },
    });
    if (isLost) await this.resume(session);
    return { kind: 'open', session };
  }

  /** Undefined if a later version of the service wrote the checkpoint. */
  private boardOf(
    { checkpoint }: AgentClaim,
    { blackboards }: RunSpec,
    name: string,
  ): Blackboard | undefined {
    try {
      return readBlackboard(checkpoint, blackboards?.[name]);
    } catch (error) {
      if (error instanceof LaterCheckpointError) return undefined;
      throw error;
    }
  }

  private async sessionOf(
    { job, spec, place, stop, ...known }: AgentPlan,
    claim: AgentClaim,
    board: Blackboard,
  ): Promise<AgentSession> {
    const { runId, dispatchId, task } = job;
    const files = await this.files.of(spec.files);
    const { createdAt, tokens } = claim;
    const claimedAt = performance.now();
    const deadlineAt = deadlineOf(spec, place, createdAt);
    const writer = new RunWriter(this.log, {
      runId,
      writer: writerOf(job),
      epoch: claim.epoch,
      step: claim.step,
      checkpoint: claim.checkpoint,
      tokens,
      source: place.source,
      redact: redactorOf(spec),
      lost: stop,
    });
    const facts = {
      runId,
      spec,
      createdAt,
      dispatchId,
      task,
      place,
      ...known,
      prompts: files.prompts,
      chain: this.models.chain(place.binding.model),
      writer,
      messages: claim.messages.map((message) => JSON.parse(message) as Message),
      signal: stop.signal,
      deadline: new Deadline(deadlineAt - claim.now, stop.signal),
      deadlineAt,
      // The clock of this machine may be wrong, or jump.
      now: () => Math.round(claim.now + performance.now() - claimedAt),
      notifier: this.notifiers.of(files),
    };
    return new AgentSession(facts, board);
  }

  /**
   * A process was lost while it worked on this: what it may have done without recording it is
   * handled here.
   */
  private async resume(session: AgentSession): Promise<void> {
    const { source, runId, dispatchId } = session;
    this.logger.warn({
      msg: 'an agent is resumed here: the process that it ran in was lost',
      runId,
      dispatchId,
      agent: source.agent_name,
    });
    const message = `${source.agent_name} resumes from its last step: the process that it ran in was lost.`;
    session.take({ state: this.cutOff(session.board) });
    const draft = session.draft();
    emitAgentEvent(draft, 'session.resumed', { message });
    session.take({ state: draft.board });
    await session.writer.append([session.warning('AGENT_RESUMED', message)], {
      checkpoint: session.saved(),
      progress: false,
    });
  }

  /**
   * The blackboard of a session that ended in the middle of a step: a call that is not safe to
   * repeat is marked, and a model call is a new attempt.
   */
  cutOff(before: Readonly<Blackboard>): Blackboard {
    const board = copyBlackboard(before);
    board.calls = board.calls.map((call) =>
      this.tools.get(call.tool)?.repeatable === false && hasBegun(call)
        ? { ...call, interrupted: true }
        : call,
    );
    // Nothing is open: it was in a model call, whose text may be in the log or about to be
    // appended.
    if (board.calls.length === 0 && board.waiting.length === 0) board.nextAttempt++;
    return board;
  }
}

/** Whether a call may have been made: one that waits for its approval has not. */
const hasBegun = ({ approval }: OpenCall): boolean => !approval || approval.started !== undefined;

/**
 * ms: workers stop a little before the deadline of the run, teams a little later, the top at the
 * deadline, so that none waits for an agent that has stopped.
 */
function deadlineOf({ limits }: RunSpec, { type }: AgentPlace, createdAt: number): number {
  const total = limits.timeoutSeconds * 1_000;
  const margin = Math.min(5_000, total / 20);
  return (
    createdAt +
    total -
    { worker: 2, team_supervisor: 1, global_supervisor: 0, oracle: 0 }[type] * margin
  );
}
