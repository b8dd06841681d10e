import type { AgentJob, AgentRole, TopRole } from './job-ids.js';

/** State of a child job, by dispatch id. */
export type ChildState = 'open' | 'ended';

/** Thrown by a `QueuedJob` that gave its slot back. The work function must rethrow it. */
export class JobParked extends Error {
  override readonly name = 'JobParked';
  constructor(readonly how: 'delayed' | 'waiting-children' | 'released') {
    super(`the job is ${how}`);
  }
}

/** This consumer no longer holds the job: its lock expired, or it was removed. */
export class JobLostError extends Error {
  override readonly name = 'JobLostError';
}

/**
 * A job that a consumer holds. Every method except `children` rejects with `JobLostError` if the
 * consumer no longer holds it.
 */
export interface QueuedJob {
  readonly id: string;
  readonly data: AgentJob;
  /** Identifies this lock of the job. */
  readonly token: string;
  /** How often a consumer was lost while it held this job. */
  readonly stalls: number;
  /** Gives the slot back for a time, or until the job is woken. @throws JobParked */
  delay(ms: number): Promise<never>;
  /** Gives the slot back; any consumer may take the job. @throws JobParked */
  release(): Promise<never>;
  /** Adds children. Existing ones do not change. */
  addChildren(role: 'team_supervisor' | 'worker', children: AgentJob[]): Promise<void>;
  /** By dispatch id. Children that were never added are missing. */
  children(): Promise<Map<string, ChildState>>;
  /** Gives the slot back until all children have ended. Returns if they have. @throws JobParked */
  waitForChildren(): Promise<void>;
}

export interface ConsumerOptions {
  /**
   * Runs the job. When it resolves, the job is removed, or comes back when its children have ended.
   */
  work: (job: QueuedJob) => Promise<void>;
  onError: (error: Error) => void;
  /**
   * Called if `work` rejected with an error other than `JobParked`. The job is removed, and its
   * parent continues.
   */
  onFailed: (jobId: string | undefined, error: Error) => void;
}

/** Takes jobs of one role until it is closed. */
export interface QueueConsumer {
  /** Extends the locks of jobs. @returns the jobs whose locks this consumer no longer holds */
  extendLocks(jobIds: string[], tokens: string[], ms: number): Promise<string[]>;
  /** Takes no more jobs. Resolves when the current ones have ended. */
  close(): Promise<void>;
  /** Closes the connections without waiting for jobs. */
  disconnect(): Promise<void>;
}

export interface JobCount {
  queue: string;
  state: 'waiting' | 'active' | 'delayed' | 'waiting-children';
  count: number;
}

/**
 * Distributes work to processes. The state of the work is in the log. Each role has its own queue,
 * so that busy workers do not delay supervisors. Jobs without an order come first, then those with
 * a lower one, also when they come back; those of the same order in the order of their arrival.
 * Implementations: `BullmqQueue`, and `MemoryQueue` for tests.
 */
export abstract class QueuePort {
  /** Adds the job of a run's top agent, unless it exists; consumers take it after its delay. */
  abstract start(job: AgentJob, top: TopRole): Promise<void>;

  abstract isQueued(runId: string, top: TopRole): Promise<boolean>;

  /** Ends the delay of jobs; other jobs do not change. @returns ids of jobs that do not exist */
  abstract wake(jobIds: readonly string[]): Promise<string[]>;

  /**
   * Wakes the jobs whose delay is over by the clock of the store. A job that was delayed by a
   * process whose own clock was wrong would come back too late.
   */
  abstract endDelays(): Promise<void>;

  /**
   * Adds the lost job of a dispatch again if its parent waits for it.
   * @param reported whether the dispatch has a report; if so, only a waiting parent needs the job
   * @returns whether the job was added
   */
  abstract revive(job: AgentJob & { dispatchId: string }, reported: boolean): Promise<boolean>;

  /**
   * Removes the jobs of a run that has ended, children first. Active jobs stay: they find the log
   * sealed and end.
   * @returns the dispatches (null: the top agent) whose jobs still exist
   */
  abstract remove(
    runId: string,
    dispatchIds: readonly string[],
    top: TopRole,
  ): Promise<(string | null)[]>;

  /** Number of jobs, by queue and state. */
  abstract counts(): Promise<JobCount[]>;

  /**
   * When the oldest job was added that waits for a slot, by queue: ms since 1970. Queues without
   * one are left out. Of jobs with an order, those that come next are compared.
   */
  abstract waitingSince(): Promise<Map<string, number>>;

  /** Starts to take jobs of a role. */
  abstract consume(role: AgentRole, options: ConsumerOptions): QueueConsumer;
}
